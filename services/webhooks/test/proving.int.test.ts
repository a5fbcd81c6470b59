import type { ServerResponse } from 'node:http';
import { eventually } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { deliveryId, newDelivery } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterEach(() => f.endWorkers());
afterAll(() => f[Symbol.asyncDispose]());

/** A subscription at an address that has never answered. */
async function own(path: string) {
  const hook = await f.subscribe(path, { proven: false });
  return {
    ...hook,
    patch: (body: object) => hook.ask('patch').send(body).expect(200),
    post: (action: string, body?: object) => hook.ask('post', action).send(body),
    proven: async () => (await f.collections.subscriptions.findById(hook.id).lean())?.proven,
  };
}
const allDelivered = (hook: string, count: number) =>
  eventually(async () =>
    expect(await f.collections.deliveries.countDocuments({ subscription: hook, status: 'delivered' })).toBe(
      count,
    ),
  );

it('a new address gets one request at a time until it has answered 200, then several, and loses nothing', async () => {
  const hook = await own('/new');
  let underWay = 0;
  const seen: { readonly status: number; readonly beside: number }[] = [];
  const answer = (status: number) => (response: ServerResponse) => {
    seen.push({ status, beside: underWay });
    underWay += 1;
    setTimeout(() => {
      underWay -= 1;
      response.writeHead(status).end();
    }, 100);
  };
  const events = Array.from({ length: 20 }, () => signalEvent());
  f.receiver.script('/new', answer(500), answer(500), ...events.map(() => answer(200)));
  await f.startWorker();
  for (const event of events) await f.publish(event);
  await allDelivered(hook.id, events.length);
  expect(seen.slice(0, 3)).toEqual([500, 500, 200].map((status) => ({ status, beside: 0 })));
  expect(Math.max(...seen.map(({ beside }) => beside))).toBeGreaterThan(1);
  expect(await hook.proven()).toBe(true);
});

it('a new address that refuses gets growing pauses whatever is asked for by hand: retries, a test, a recovery', async () => {
  const hook = await own('/refuses');
  const since = new Date().toISOString();
  const hits: number[] = [];
  const refuse = (response: ServerResponse) => {
    hits.push(performance.now());
    response.writeHead(500).end();
  };
  f.receiver.script('/refuses', ...Array.from({ length: 100 }, () => refuse));
  const events = Array.from({ length: 10 }, () => signalEvent());
  await f.storeEvents(...events);
  await f.collections.deliveries.create(
    events.map(({ id, data }) => ({
      ...newDelivery({ id, type: 'signal.new', signalId: data.id }, hook, new Date()),
      status: 'failed' as const,
      attempt_count: 4,
      next_attempt_at: null,
    })),
  );
  await f.startWorker({ retryDelaysMs: [1] });
  const [first, ...others] = events.map(({ id }) => `deliveries/${deliveryId(id, hook.id)}/retry`);
  await hook.post(first ?? '').expect(200);
  await hook.post('test').expect(201);
  await hook.post('recover', { since }).expect(200);
  for (const other of others) await hook.post(other);
  for (let n = 0; n < 5; n += 1) await hook.post('recover', { since });
  await eventually(() => expect(hits.length).toBeGreaterThanOrEqual(4));
  // Pauses are by the worker's estimate of the store's clock. Each heartbeat corrects it, by as much as answers of the store
  // were late; on a busy machine that is some 20 ms.
  const pauses = hits.slice(1, 4).map((at, n) => at - (hits[n] ?? 0) + 250);
  for (const [n, least] of [1_000, 2_000, 4_000].entries()) {
    expect(pauses[n]).toBeGreaterThanOrEqual(least);
  }
  expect(await hook.proven()).toBe(false);
});

it('a changed address has to be proven again; the same address, set again, has not', async () => {
  const hook = await own('/before');
  await f.startWorker();
  await f.publish(signalEvent());
  await eventually(async () => expect(await hook.proven()).toBe(true));
  await hook.patch({ url: `${f.receiver.url}/before`, description: 'the same' });
  expect(await hook.proven()).toBe(true);
  await hook.patch({ url: `${f.receiver.url}/after` });
  expect(await hook.proven()).toBe(false);
  await f.publish(signalEvent());
  await allDelivered(hook.id, 2);
  expect(await hook.proven()).toBe(true);
});

it('a changed address is not proven by an answer of its predecessor', async () => {
  const hook = await own('/predecessor');
  let answer: () => void = () => undefined;
  f.receiver.script('/predecessor', (response) => {
    answer = () => response.writeHead(200).end();
  });
  await f.startWorker();
  await f.publish(signalEvent());
  await eventually(() => expect(hook.received()).toHaveLength(1));
  await hook.patch({ url: `${f.receiver.url}/successor` });
  answer();
  await allDelivered(hook.id, 1);
  expect(await hook.proven()).toBe(false);
});
