import type { DeliveryDetail } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deliveryId } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

/** So long that no test waits for the retry: it is requested by hand. */
const longMs = 3_600_000;

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
  await f.startWorker({ retryDelaysMs: [longMs, longMs], timeoutMs: 60_000 });
});
afterAll(() => f[Symbol.asyncDispose]());

/** A webhook of an account of its own, at this path of the receiver. */
async function own(path: string, more: { readonly url?: string; readonly ordered?: boolean } = {}) {
  const hook = await f.subscribe(path, more);
  const detailIn = ({ body }: { body: unknown }) => (body as { data: DeliveryDetail }).data;
  return {
    ...hook,
    /** Publishes an event of its own. @returns the delivery's id. */
    publish: async () => {
      const event = signalEvent();
      await f.publish(event);
      return deliveryId(event.id, hook.id);
    },
    detail: async (delivery: string) => detailIn(await hook.ask('get', `deliveries/${delivery}`).expect(200)),
    retry: (delivery: string) => hook.ask('post', `deliveries/${delivery}/retry`),
    test: async () => detailIn(await hook.ask('post', 'test').expect(201)),
  };
}
type Own = Awaited<ReturnType<typeof own>>;

async function attempted(hook: Own, delivery: string, times: number): Promise<DeliveryDetail> {
  return eventually(async () => {
    const detail = await hook.detail(delivery);
    expect(detail).toMatchObject({ attempt_count: times });
    return detail;
  });
}

const asObject = (headers: readonly { name: string; value: string }[] = []) =>
  Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]));

it('a delivery in the log shows the bytes, the address and the headers that the receiver got, at every attempt', async () => {
  const hook = await own('/shown?part=1');
  f.receiver.script('/shown?part=1', 500);
  const id = await hook.publish();
  await attempted(hook, id, 1);
  await hook.retry(id).expect(200);
  const { body, attempts } = await attempted(hook, id, 2);
  const requests = hook.received();
  expect(requests.map((request) => request.body.toString())).toEqual([body, body]);
  for (const [at, { request }] of attempts.entries()) {
    expect(request?.url).toBe(`${f.receiver.url}/shown?part=1`);
    const { connection: _ofTheConnection, ...headers } = requests[at]?.headers ?? {};
    expect(asObject(request?.headers)).toEqual(headers);
  }
  expect(attempts.map(({ request }) => asObject(request?.headers)['webhook-attempt'])).toEqual(['1', '2']);
});

it('a delivery in the log shows what anybody with the secret can verify, and never the secret', async () => {
  const hook = await own('/verified');
  const id = await hook.publish();
  const detail = await attempted(hook, id, 1);
  const headers = asObject(detail.attempts[0]?.request?.headers);
  expect(new Webhook(hook.secret).verify(detail.body ?? '', headers)).toMatchObject({
    event: 'signal.new',
  });
  const text = JSON.stringify(detail);
  expect(text).not.toContain(hook.secret);
  expect(text).not.toContain(hook.secret.replace('whsec_', ''));
});

it('a delivery in the log shows the headers and the beginning of the answer', async () => {
  const hook = await own('/answering');
  f.receiver.script('/answering', (response) => {
    response
      .writeHead(503, { 'Content-Type': 'text/html', 'X-Served-By': 'cache-1', 'Set-Cookie': 'a=secret' })
      .end('<h1>Down</h1>');
  });
  const { attempts } = await attempted(hook, await hook.publish(), 1);
  expect(attempts[0]).toMatchObject({ http_status: 503, response_body: '<h1>Down</h1>' });
  const headers = attempts[0]?.response_headers ?? [];
  expect(headers).toEqual(
    expect.arrayContaining([
      { name: 'Content-Type', value: 'text/html' },
      { name: 'X-Served-By', value: 'cache-1' },
      { name: 'Set-Cookie', value: '(not kept)' },
    ]),
  );
});

it('a delivery of a test shows its body at once', async () => {
  const hook = await own('/tested');
  const made = await hook.test();
  const { body } = await attempted(hook, made.id, 1);
  expect(body).toBe(made.body);
  expect(hook.received()[0]?.body.toString()).toBe(body);
});

it('a delivery in the log has no body any more when its event is no longer kept', async () => {
  const hook = await own('/forgotten');
  const id = await hook.publish();
  const { event_id } = await attempted(hook, id, 1);
  await f.collections.events.deleteOne({ _id: event_id });
  expect(await hook.detail(id)).toMatchObject({ body: null });
});

it('a retry by hand of what waits for its next attempt is made at once, and costs none of its retries', async () => {
  const hook = await own('/waiting');
  f.receiver.script('/waiting', 500, 500, 500, 500);
  const id = await hook.publish();
  for (const count of [1, 2, 3]) {
    expect(await attempted(hook, id, count)).toMatchObject({ status: 'pending' });
    await hook.retry(id).expect(200);
  }
  // Three by hand, so both retries are still to be made.
  const { status, next_attempt_at } = await attempted(hook, id, 4);
  expect(status).toBe('pending');
  expect(Date.parse(next_attempt_at ?? '')).toBeGreaterThan(Date.now() + longMs / 2);
  await hook.retry(id).expect(200);
  expect(await attempted(hook, id, 5)).toMatchObject({ status: 'delivered' });
  expect(new Set(hook.receivedIds()).size).toBe(1);
});

it('a retry by hand of what waits for its next attempt is one when many ask for it at once; the others are 409', async () => {
  const hook = await own('/crowd');
  f.receiver.script('/crowd', 500);
  const id = await hook.publish();
  await attempted(hook, id, 1);
  const answers = await Promise.all(Array.from({ length: 6 }, () => hook.retry(id)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  expect(await attempted(hook, id, 2)).toMatchObject({ status: 'delivered' });
  expect(hook.received()).toHaveLength(2);
});

it('a retry by hand of what waits for its next attempt is 409 while an attempt is under way', async () => {
  const hook = await own('/busy');
  let answer = () => {};
  f.receiver.script('/busy', (response) => {
    answer = () => response.writeHead(200).end();
  });
  const id = await hook.publish();
  await eventually(() => expect(hook.received()).toHaveLength(1));
  const answered = await hook.retry(id).expect(409);
  expect(answered.body).toMatchObject({
    error: { message: 'An attempt of this delivery is due or under way' },
  });
  answer();
  await attempted(hook, id, 1);
});

it('a retry by hand of what waits for its next attempt is 409 while its webhook is disabled, and the delivery waits on', async () => {
  const hook = await own('/paused');
  f.receiver.script('/paused', 500);
  const id = await hook.publish();
  const { next_attempt_at } = await attempted(hook, id, 1);
  await hook.ask('patch').send({ status: 'disabled' }).expect(200);
  const answered = await hook.retry(id).expect(409);
  expect(answered.text).toContain('This webhook is disabled');
  expect(await hook.detail(id)).toMatchObject({ status: 'pending', next_attempt_at });
});

it('a retry by hand of what waits for its next attempt keeps the order of an ordered webhook', async () => {
  const hook = await own('/ordered', { ordered: true });
  f.receiver.script('/ordered', 500);
  const first = await hook.publish();
  await attempted(hook, first, 1);
  const second = await hook.publish();
  await eventually(async () => expect(await hook.detail(second)).toMatchObject({ status: 'pending' }));
  await hook.retry(first).expect(200);
  await attempted(hook, second, 1);
  const [one, two] = [first, second].map((id) => id.slice(0, id.indexOf('.')));
  expect(hook.receivedIds()).toEqual([one, one, two]);
});

// The last test: it ends the worker of all others.
it('a delivery in the log shows what would have been sent where nothing listens or nobody answers, and no answer', async () => {
  const sentTo = async (url: string, outcome: string) => {
    const hook = await own('', { url });
    const { attempts, body } = await attempted(hook, await hook.publish(), 1);
    expect(attempts[0]).toMatchObject({ outcome, request: { url }, response_headers: null });
    expect(JSON.parse(body ?? '')).toMatchObject({ event: 'signal.new' });
  };
  await sentTo('http://127.0.0.1:1/', 'connection');
  await f.endWorkers();
  await f.startWorker({ retryDelaysMs: [longMs], timeoutMs: 2_000 });
  f.receiver.script('/hanging', 'hang');
  await sentTo(`${f.receiver.url}/hanging`, 'timeout');
});
