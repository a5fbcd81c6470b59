import { type WebhookNotice, webhookStatePayloadSchema, webhookTopology } from '@sigcast/contracts';
import { parseWebhookNotice } from '@sigcast/messaging';
import { newId } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { disableAfterMs, notifyAfterMs } from '../src/domain/auto-disable.ts';
import { mongoFailureStreaks } from '../src/store/failure-streaks.ts';
import { mongoNotices } from '../src/store/notices.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
/** What gateways get. */
const heard: WebhookNotice[] = [];
beforeAll(async () => {
  f = await fixture();
  await f.broker.consume({
    ...webhookTopology(f.stack.namespace).gateway,
    prefetch: 1,
    handle: async (message) => void heard.push(parseWebhookNotice(message)),
  });
});
afterEach(() => f.endWorkers());
afterAll(() => f[Symbol.asyncDispose]());

/** Retries follow soon, because each test lets several deliveries fail with all of theirs. */
const startWorker = () => f.startWorker({ retryDelaysMs: [10, 10, 10] });

async function own(account: string, name: string, events: readonly string[]) {
  const path = `/${account}-${name}`;
  const hook = await f.subscribe(path, { account, events });
  return {
    ...hook,
    path,
    get: async () => ((await hook.ask('get').expect(200)).body as { data: object }).data,
  };
}
type Own = Awaited<ReturnType<typeof own>>;

/** An account with a webhook that fails, one that is subscribed to notices, and one that wants signals only. */
async function household() {
  const account = newId('acct');
  return {
    account,
    failing: await own(account, 'failing', ['signal.winner']),
    watching: await own(account, 'watching', ['webhook.failing', 'webhook.disabled']),
    plain: await own(account, 'plain', ['signal.rugged']),
  };
}

/** Lets a delivery fail with all its retries. */
async function fail(hook: Own): Promise<void> {
  f.receiver.script(hook.path, 500, 500, 500, 500);
  const event = signalEvent('signal.winner');
  await f.publish(event);
  await eventually(async () =>
    expect(await f.delivery(event.id, hook.id)).toMatchObject({ status: 'failed' }),
  );
}

/** Moves the begin of the stored streak back by a time. @returns the new begin. */
async function age({ id }: Own, ms: number): Promise<Date> {
  const noted = await eventually(async () => {
    const document = await f.collections.subscriptions.findById(id).lean();
    expect(document?.failing_since).toBeInstanceOf(Date);
    return document;
  });
  const wasTold = noted?.failing_told?.getTime() === noted?.failing_since?.getTime();
  const since = new Date(Date.now() - ms);
  await f.collections.subscriptions.updateOne(
    { _id: id },
    { $set: { failing_since: since, ...(wasTold ? { failing_told: since } : {}) } },
  );
  return since;
}
const told = (hook: Own) =>
  hook
    .received()
    .map(({ body, headers }) =>
      webhookStatePayloadSchema.parse(
        new Webhook(hook.secret).verify(body.toString(), headers as Record<string, string>),
      ),
    );
const noNotices = (id: string) =>
  eventually(async () =>
    expect(await f.collections.subscriptions.findById(id).lean()).not.toHaveProperty('notices_since'),
  );

it('the account of a webhook that keeps failing is told once after a day, and once when the webhook is disabled, by its other webhooks that ask for it', async () => {
  const { failing, watching, plain } = await household();
  const stranger = await own(newId('acct'), 'stranger', ['webhook.failing', 'webhook.disabled']);
  await startWorker();
  await startWorker();
  await fail(failing);
  expect(told(watching)).toEqual([]);
  const since = await age(failing, notifyAfterMs);
  expect(await failing.get()).toMatchObject({
    failing_since: since.toISOString(),
    disables_at: new Date(since.getTime() + disableAfterMs).toISOString(),
  });
  for (let n = 0; n < 3; n += 1) await fail(failing);
  await eventually(() => expect(told(watching)).toHaveLength(1));
  expect(told(watching)[0]).toMatchObject({
    event: 'webhook.failing',
    data: { id: failing.id, failing_since: since.toISOString(), disabled_reason: null },
  });
  await age(failing, disableAfterMs);
  await fail(failing);
  await eventually(() => expect(told(watching)).toHaveLength(2));
  expect(told(watching)[1]).toMatchObject({
    event: 'webhook.disabled',
    data: { id: failing.id, disables_at: null, disabled_reason: 'failing' },
  });
  await noNotices(failing.id);
  expect([told(watching).length, plain.received(), stranger.received()]).toEqual([2, [], []]);
  expect(await failing.get()).toMatchObject({ status: 'disabled', failing_since: null, disables_at: null });
});

it('the account of a webhook that keeps failing knows of an address that never answers from its first failure on, long before a delivery has ended', async () => {
  const { failing } = await household();
  await f.collections.subscriptions.updateOne({ _id: failing.id }, { $set: { proven: false } });
  f.receiver.script(failing.path, 500);
  await f.startWorker({ retryDelaysMs: [600_000] });
  const event = signalEvent('signal.winner');
  await f.publish(event);
  await eventually(async () =>
    expect(await failing.get()).toHaveProperty('failing_since', expect.any(String)),
  );
  expect(await f.delivery(event.id, failing.id)).toMatchObject({ status: 'pending', attempt_count: 1 });
});

it('the account of a webhook that keeps failing is told anew after a success in between', async () => {
  const { failing, watching } = await household();
  await startWorker();
  for (let stretch = 1; stretch <= 2; stretch += 1) {
    await fail(failing);
    await age(failing, notifyAfterMs);
    // The log says that a delivery succeeded in these days; it was an earlier one.
    await f.collections.deliveries.updateMany(
      { subscription: failing.id, status: 'delivered' },
      { $set: { updated_at: new Date(Date.now() - 2 * notifyAfterMs) } },
    );
    await fail(failing);
    await eventually(() => expect(told(watching)).toHaveLength(stretch));
    await f.publish(signalEvent('signal.winner'));
    await eventually(async () => expect(await failing.get()).toMatchObject({ failing_since: null }));
  }
});

it('the account of a webhook that keeps failing is told when the address is gone', async () => {
  const { failing, watching } = await household();
  await startWorker();
  f.receiver.script(failing.path, 410);
  await f.publish(signalEvent('signal.winner'));
  await eventually(() =>
    expect(told(watching)).toMatchObject([{ event: 'webhook.disabled', data: { disabled_reason: 'gone' } }]),
  );
});

it('the account of a webhook that keeps failing is told once, whichever worker finds it, and wherever a worker dies while it makes the notice’s deliveries', async () => {
  const { account, failing, watching } = await household();
  const { subscriptions, deliveries } = f.collections;
  const since = new Date(Date.now() - notifyAfterMs);
  await subscriptions.updateOne({ _id: failing.id }, { $set: { failing_since: since } });
  const record = mongoFailureStreaks(f.collections);
  await Promise.all(Array.from({ length: 5 }, () => record.addNotice(failing.id, since, new Date())));
  const before = await subscriptions.findById(failing.id).lean();
  expect(before?.notices).toHaveLength(1);
  const made = () => deliveries.find({ account, subscription: watching.id }).lean();
  const notices = mongoNotices(f.collections, { now: Date.now, publish: async () => undefined });
  const passOn = async () => {
    for (const about of await notices.find(100)) await notices.passOn(about);
  };
  await Promise.all([passOn(), passOn()]);
  expect(await made()).toHaveLength(1);
  // A worker that died before it removed the notice leaves the notice. Its delivery may have ended meanwhile.
  const { notices: again, notices_since } = before ?? {};
  await subscriptions.updateOne({ _id: failing.id }, { $set: { notices: again, notices_since } });
  await deliveries.updateOne({ subscription: watching.id }, { $set: { status: 'delivered' } });
  await passOn();
  expect(await made()).toMatchObject([{ event: 'webhook.failing', status: 'delivered' }]);
  await noNotices(failing.id);
});

it('a gateway gets a notice when a webhook has failed for a day, when it delivers again, and when it is disabled; no webhook gets that of the recovery', async () => {
  const { account, failing, watching } = await household();
  await startWorker();
  const noticed = () => [
    ...new Map(
      heard.filter(({ data }) => data.account === account).map((notice) => [notice.id, notice]),
    ).values(),
  ];
  const fromEarlierDays = () =>
    f.collections.deliveries.updateMany(
      { subscription: failing.id, status: 'delivered' },
      { $set: { updated_at: new Date(Date.now() - 2 * disableAfterMs) } },
    );
  // A streak of less than a day ends without a notice.
  await fail(failing);
  await f.publish(signalEvent('signal.winner'));
  await eventually(async () => expect(await failing.get()).toMatchObject({ failing_since: null }));
  await fromEarlierDays();
  await fail(failing);
  const since = await age(failing, notifyAfterMs);
  await fail(failing);
  const [about, failingSince] = [{ account, webhook: failing.id }, since.toISOString()];
  await eventually(() =>
    expect(noticed()).toMatchObject([{ type: 'webhook.failing', data: { failing_since: failingSince } }]),
  );
  await f.publish(signalEvent('signal.winner'));
  await eventually(() =>
    expect(noticed().slice(1)).toMatchObject([
      { type: 'webhook.recovered', data: { ...about, failing_since: failingSince, disables_at: null } },
    ]),
  );
  await noNotices(failing.id);
  f.receiver.script(failing.path, 410);
  await f.publish(signalEvent('signal.winner'));
  await eventually(() =>
    expect(noticed().slice(2)).toMatchObject([
      { type: 'webhook.disabled', data: { disabled_reason: 'gone' } },
    ]),
  );
  expect(noticed()[0]?.data).toMatchObject({ ...about, host: new URL(f.receiver.url).host });
  await eventually(() =>
    expect(told(watching).map(({ event }) => event)).toEqual(['webhook.failing', 'webhook.disabled']),
  );
});

it('a gateway gets a notice of a webhook that was made while the broker was away', async () => {
  const { failing } = await household();
  const notices: WebhookNotice[] = [];
  let away = true;
  const publish = async (notice: WebhookNotice) => {
    if (away) throw new Error('away');
    notices.push(notice);
  };
  const { find, passOn } = mongoNotices(f.collections, { now: Date.now, publish });
  await mongoFailureStreaks(f.collections).disableGone(
    failing.id,
    `${f.receiver.url}${failing.path}`,
    new Date(),
  );
  const mine = async () => (await find(100)).filter(({ _id }) => _id === failing.id);
  for (const about of await mine()) await expect(passOn(about)).rejects.toThrow('away');
  away = false;
  for (const about of await mine()) await passOn(about);
  expect(notices).toMatchObject([{ type: 'webhook.disabled', data: { webhook: failing.id } }]);
  expect(await mine()).toEqual([]);
});

it('a notice that can not be passed on goes behind the others, whatever its webhook has for an address', async () => {
  const { failing, watching } = await household();
  const disable = async ({ id, path }: Own) =>
    mongoFailureStreaks(f.collections).disableGone(id, `${f.receiver.url}${path}`, new Date());
  await f.collections.subscriptions.updateMany({}, { $unset: { notices: '', notices_since: '' } });
  await disable(failing);
  await f.collections.subscriptions.updateOne({ _id: failing.id }, { $set: { url: 'https://***/x' } });
  await disable(watching);
  const heardOf: string[] = [];
  let refused = failing.id;
  const publish = async ({ data }: WebhookNotice) => {
    if (data.webhook === refused) throw new Error('refused');
    heardOf.push(data.webhook);
  };
  let nowMs = Date.now();
  const { find, passOn } = mongoNotices(f.collections, { now: () => ++nowMs, publish });
  const [first] = await find(1);
  expect(first?._id).toBe(failing.id);
  if (first) await expect(passOn(first)).rejects.toThrow('refused');
  refused = '';
  for (let left = 2; left > 0; left--) for (const about of await find(1)) await passOn(about);
  expect(heardOf).toEqual([watching.id, failing.id]);
});
