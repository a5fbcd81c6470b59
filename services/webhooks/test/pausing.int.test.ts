import { eventually } from '@sigcast/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { holdMs } from '../src/domain/lane.ts';
import { newDelivery } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterEach(() => f.endWorkers());
afterAll(() => f[Symbol.asyncDispose]());

type Data = Record<string, unknown> & { id: string; secret: string };
type Body = { data: Data };

async function own(path: string, events = ['signal.new']) {
  const hook = await f.subscribe(path, { events, proven: false });
  return {
    ...hook,
    setStatus: (status: string) => hook.ask('patch').send({ status }).expect(200),
    get: async () => ((await hook.ask('get').expect(200)).body as Body).data,
    post: (action: string, body?: object) => hook.ask('post', action).send(body),
  };
}

/** Recovers what a subscription missed. @returns the recovery when it is done: what takes the request long, a worker does. */
async function recovered(hook: Awaited<ReturnType<typeof own>>, since: string) {
  await hook.post('recover', { since }).expect(200);
  return eventually(async () => {
    const { recovery } = await hook.get();
    expect(recovery).toMatchObject({ status: 'completed' });
    return recovery;
  });
}

it('a paused subscription is sent nothing; resumed and recovered, it gets everything that happened meanwhile, once', async () => {
  await f.startWorker();
  const marker = await own('/marker', ['signal.dead']);
  const hook = await own('/paused');
  const since = new Date().toISOString();
  const delivered = signalEvent();
  await f.publish(delivered);
  await eventually(() => expect(hook.receivedIds()).toEqual([delivered.id]));
  await eventually(async () =>
    expect(await f.delivery(delivered.id, hook.id)).toMatchObject({ status: 'delivered' }),
  );

  await hook.setStatus('disabled');
  const missed = Array.from({ length: 12 }, () => signalEvent());
  for (const event of [...missed, signalEvent('signal.winner')]) await f.publish(event);
  await f.settled(marker);
  expect(hook.receivedIds()).toEqual([delivered.id]);
  await hook.post('recover', { since }).expect(409);

  await hook.setStatus('enabled');
  const after = signalEvent();
  await f.publish(after);
  expect(await recovered(hook, since)).toMatchObject({ retried: 0 });
  const all = [delivered, ...missed, after].map(({ id }) => id).sort();
  await eventually(() => expect([...hook.receivedIds()].sort()).toEqual(all));

  expect(await recovered(hook, since)).toMatchObject({ retried: 0, opened: 0 });
  await f.settled(marker);
  expect([...hook.receivedIds()].sort()).toEqual(all);
});

it('the log names the token of each delivery, sent at once or recovered, and none for a test', async () => {
  await f.startWorker();
  const hook = await own('/named');
  const marker = await own('/named-marker', ['signal.dead']);
  const [sent, missed] = [signalEvent(), signalEvent()];
  const since = new Date().toISOString();
  await f.publish(sent);
  await eventually(() => expect(hook.receivedIds()).toEqual([sent.id]));
  await hook.setStatus('disabled');
  await f.publish(missed);
  await f.settled(marker);
  await hook.setStatus('enabled');
  await recovered(hook, since);
  await hook.post('test').expect(201);
  const { body } = await hook.ask('get', 'deliveries').expect(200);
  const { data } = body as { data: { event: string; event_id: string; symbol: string | null }[] };
  const symbols = Object.fromEntries(
    data.map(({ event, event_id: id, symbol }) => [event === 'webhook.test' ? 'test' : id, symbol]),
  );
  const { symbol } = sent.data.token;
  expect(symbols).toEqual({ [sent.id]: symbol, [missed.id]: symbol, test: null });
});

it('a paused subscription keeps what was on its way, at no cost of a retry, and sends it when resumed', async () => {
  const hook = await own('/held');
  const marker = await own('/held-marker', ['signal.dead']);
  const event = signalEvent();
  await f.storeEvents(event);
  const made = newDelivery(
    { id: event.id, type: 'signal.new', signalId: event.data.id },
    { id: hook.id, account: hook.account },
    new Date(),
  );
  await f.collections.deliveries.create([{ ...made, attempt_count: 1 }]);
  await hook.setStatus('disabled');
  await f.startWorker();
  // The worker has queried and released the lane.
  await eventually(async () => {
    const looked = await f.collections.subscriptions.findById(hook.id).lean();
    expect(looked?.due_at.getTime()).toBeGreaterThan(Date.now() + holdMs);
  });
  await f.settled(marker);
  expect(await f.delivery(event.id, hook.id)).toMatchObject({
    status: 'pending',
    attempt_count: 1,
    lease: null,
  });
  expect(hook.received()).toHaveLength(0);
  await hook.setStatus('enabled');
  await eventually(() => expect(hook.receivedIds()).toEqual([event.id]));
  expect(hook.received()[0]?.headers['webhook-attempt']).toBe('2');
});

it('a paused subscription is sent what is requested by hand: a test, signed with every secret that signs', async () => {
  await f.startWorker();
  const hook = await own('/tested');
  const { data } = (await hook.post('rotate-secret').expect(200)).body as Body;
  await hook.setStatus('disabled');
  const made = (await hook.post('test').expect(201)).body as Body;
  await eventually(() => expect(hook.received()).toHaveLength(1));
  const [request] = hook.received();
  const headers = request?.headers as Record<string, string>;
  expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
  for (const secret of [hook.secret, data.secret]) {
    expect(new Webhook(secret).verify(request?.body.toString() ?? '', headers)).toMatchObject({
      event: 'webhook.test',
    });
  }
  await eventually(async () =>
    expect(await f.collections.deliveries.findById(made.data.id).lean()).toMatchObject({
      status: 'delivered',
      attempt_count: 1,
    }),
  );
});

it('a test that fails is attempted once, and no recovery repeats it', async () => {
  await f.startWorker();
  const hook = await own('/failing-test');
  f.receiver.script('/failing-test', 500);
  const { data } = (await hook.post('test').expect(201)).body as Body;
  await eventually(async () =>
    expect(await f.collections.deliveries.findById(data.id).lean()).toMatchObject({
      status: 'failed',
      attempt_count: 1,
    }),
  );
  const recovered = (await hook.post('recover', { since: data.created_at as string }).expect(200))
    .body as Body;
  expect(recovered.data).toMatchObject({ retried: 0, opened: 0 });
});

const statuses = [500, 500, 500, 500];
const fail = async (hook: Awaited<ReturnType<typeof own>>, path: string) => {
  await f.prove(hook.id);
  f.receiver.script(path, ...statuses);
  const event = signalEvent();
  await f.publish(event);
  await eventually(async () =>
    expect(await f.delivery(event.id, hook.id)).toMatchObject({ status: 'failed' }),
  );
  return event;
};
/** Moves the begin of the stored streak back by three days. */
const age = async (id: string) => {
  const found = await eventually(async () => {
    const document = await f.collections.subscriptions.findById(id).lean();
    expect(document?.failing_since).toBeInstanceOf(Date);
    return document;
  });
  const since = new Date((found?.failing_since?.getTime() ?? 0) - 3 * 86_400_000);
  await f.collections.subscriptions.updateOne({ _id: id }, { $set: { failing_since: since } });
};

it('a subscription whose deliveries all fail for 3 days is disabled, visibly, once its account was told; enabled and recovered, it gets what failed and what it missed', async () => {
  await f.startWorker();
  const hook = await own('/dead');
  const since = new Date().toISOString();
  const first = await fail(hook, '/dead');
  expect(await hook.get()).toMatchObject({ status: 'enabled' });
  await age(hook.id);
  const second = await fail(hook, '/dead');
  await eventually(async () =>
    expect((await f.collections.subscriptions.findById(hook.id).lean())?.failing_told).toBeInstanceOf(Date),
  );
  expect(await hook.get()).toMatchObject({ status: 'enabled' });
  const last = await fail(hook, '/dead');
  await eventually(async () =>
    expect(await hook.get()).toMatchObject({ status: 'disabled', disabled_reason: 'failing' }),
  );
  expect(Date.parse(String((await hook.get()).disabled_at))).toBeGreaterThan(Date.parse(since));

  const missed = signalEvent();
  await f.publish(missed);
  await eventually(async () => expect(await f.collections.events.findById(missed.id)).not.toBeNull());
  await hook.setStatus('enabled');
  const before = hook.received().length;
  expect(await recovered(hook, since)).toMatchObject({ retried: 3 });
  await eventually(() =>
    expect(hook.receivedIds().slice(before).sort()).toEqual([first.id, second.id, last.id, missed.id].sort()),
  );
});

it('a webhook fails since the first failed attempt after its last success, not since a delivery was given up', async () => {
  await f.startWorker();
  const hook = await own('/since');
  const { id } = await fail(hook, '/since');
  const since = await eventually(async () => {
    const { failing_since } = await hook.get();
    expect(failing_since).toEqual(expect.any(String));
    return failing_since;
  });
  const delivery = await f.delivery(id, hook.id);
  expect(delivery?.attempts).toHaveLength(4);
  expect(since).toBe(delivery?.attempts[0]?.started_at);
});

it('a subscription whose deliveries fail is not disabled when one succeeded in these days, whether that was stored or not', async () => {
  await f.startWorker();
  const hook = await own('/flaky');
  const good = signalEvent();
  await fail(hook, '/flaky');
  await f.publish(good);
  await eventually(async () =>
    expect(await f.delivery(good.id, hook.id)).toMatchObject({ status: 'delivered' }),
  );
  await eventually(async () =>
    expect((await f.collections.subscriptions.findById(hook.id).lean())?.failing_since).toBeNull(),
  );
  await fail(hook, '/flaky');
  await age(hook.id);
  await fail(hook, '/flaky');
  await eventually(async () => {
    const document = await f.collections.subscriptions.findById(hook.id).lean();
    const success = await f.delivery(good.id, hook.id);
    expect(document?.failing_since).toEqual(success?.updated_at);
  });
  expect(await hook.get()).toMatchObject({ status: 'enabled' });
});
