import type { ServerResponse } from 'node:http';
import { eventually } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
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
