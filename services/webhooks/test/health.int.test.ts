import type { Delivery, WebhookHealth } from '@sigcast/contracts';
import { newId } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { createConnection } from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mongoHealthLog } from '../src/store/health-log.ts';
import { models } from '../src/store/models.ts';
import { deliveryId, newDelivery } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

/** So long that no test waits for the retry. */
const longMs = 3_600_000;

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());

type List = { data: Delivery[]; meta: { total: number } };

/** Where nothing listens. */
const nowhere = 'http://127.0.0.1:1/';

/** A webhook of an account of its own, at an address where nothing listens unless given. */
async function own(url = nowhere) {
  const hook = await f.subscribe('', { url, events: ['signal.new', 'signal.winner'] });
  const read = async (path: string) => (await hook.ask('get', path).expect(200)).body as unknown;
  return {
    ...hook,
    health: async () => ((await read('health')) as { data: WebhookHealth }).data,
    list: async (query: string) => (await read(`deliveries?limit=100&${query}`)) as List,
  };
}

type Made = {
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: readonly (number | null)[];
  readonly agoMs?: number;
};

/** Deliveries as a worker leaves them; each attempt is a status, or null where no answer came. */
async function made(subscription: string, all: readonly Made[]) {
  await f.collections.deliveries.insertMany(
    all.map(({ status, attempts, agoMs = 0 }) => {
      const at = new Date(Date.now() - agoMs);
      const event = { id: newId('evt'), type: 'signal.new', signalId: newId('sig') } as const;
      return {
        ...newDelivery(event, { id: subscription, account: 'acct' }, at),
        status,
        attempt_count: attempts.length,
        attempts: attempts.map((answered, n) => ({
          number: n + 1,
          started_at: new Date(at.getTime() + n).toISOString(),
          duration_ms: 1,
          http_status: answered,
          error: answered === 200 ? null : 'wrong',
          response_body: null,
          outcome: outcomeOf(answered),
        })),
        ...(status !== 'pending' && { next_attempt_at: null }),
      };
    }),
  );
}

function outcomeOf(answered: number | null) {
  if (answered === null) return 'timeout' as const;
  return answered === 200 ? ('succeeded' as const) : ('bad_status' as const);
}

const times = <T>(count: number, of: T): T[] => Array.from({ length: count }, () => of);
const good: Made = { status: 'delivered', attempts: [200] };

it('the health of a webhook that nothing was sent to says so', async () => {
  const hook = await own();
  expect(await hook.health()).toMatchObject({
    last_24_hours: { delivered: 0, failed: 0, success_rate: null },
    last_attempts: { attempts: 0, succeeded: 0, success_rate: null, results: [] },
    last_error: null,
    waiting: 0,
    retrying: 0,
    failed: 0,
  });
});

it("a webhook's health is counted of the deliveries of 24 hours that have ended, and of the last 50 attempts", async () => {
  const hook = await own();
  const old = 25 * 3_600_000;
  await made(hook.id, [
    ...times(3, { status: 'failed', attempts: [500, 500], agoMs: old } as const),
    ...times(2, { status: 'pending', attempts: [], agoMs: old } as const),
    ...times(95, { ...good, agoMs: 60_000 }),
    ...times(3, { status: 'delivered', attempts: [503, 200], agoMs: 50_000 } as const),
    ...times(2, { status: 'failed', attempts: [500, null], agoMs: 40_000 } as const),
    ...times(4, { status: 'pending', attempts: [500], agoMs: 30_000 } as const),
    ...times(5, { status: 'pending', attempts: [] } as const),
  ]);
  expect(await hook.health()).toMatchObject({
    last_24_hours: { delivered: 98, failed: 2, success_rate: 98 },
    // 4 of those that are retried, 4 of those that failed, 6 of those that were delivered later: 36 others.
    last_attempts: { attempts: 50, succeeded: 39, success_rate: 78 },
    last_error: { outcome: 'bad_status', http_status: 500, error: 'wrong' },
    waiting: 7,
    retrying: 4,
    failed: 5,
  });
});

it("a webhook's health has counts that agree with the log", async () => {
  const hook = await own();
  await made(hook.id, [
    ...times(3, good),
    ...times(4, { status: 'failed', attempts: [500] } as const),
    ...times(5, { status: 'pending', attempts: [500] } as const),
    ...times(6, { status: 'pending', attempts: [] } as const),
  ]);
  const { waiting, retrying, failed, last_24_hours: day } = await hook.health();
  const total = async (status: string) => (await hook.list(`status=${status}`)).meta.total;
  expect(await total('pending')).toBe(waiting + retrying);
  expect(await total('retrying')).toBe(retrying);
  expect(await total('failed')).toBe(failed);
  expect(await total('delivered')).toBe(day.delivered);
  expect([waiting, retrying, failed, day.delivered]).toEqual([6, 5, 4, 3]);
});

it("a webhook's health counts attempts behind a long queue of deliveries that wait for their first", async () => {
  const hook = await own();
  await made(hook.id, [
    ...times(30, { ...good, agoMs: 60_000 }),
    { status: 'failed', attempts: [502], agoMs: 90_000 },
    ...times(500, { status: 'pending', attempts: [] } as const),
  ]);
  const ok = { outcome: 'succeeded', http_status: 200, duration_ms: 1 };
  const oneByOne = [...times(30, ok), { outcome: 'bad_status', http_status: 502 }];
  expect(await hook.health()).toMatchObject({
    last_attempts: { attempts: 31, succeeded: 30, results: oneByOne },
    last_error: { http_status: 502 },
    waiting: 500,
  });
});

it("a webhook's health names the last error, also one older than the last 100 deliveries", async () => {
  const hook = await own();
  await made(hook.id, [
    { status: 'failed', attempts: [418], agoMs: 90_000 },
    ...times(120, { ...good, agoMs: 60_000 }),
  ]);
  const { last_error: error, last_attempts: attempts } = await hook.health();
  expect(attempts).toMatchObject({ attempts: 50, succeeded: 50 });
  expect(error).toMatchObject({ http_status: 418, delivery_id: expect.stringContaining(hook.id) });
});

it("a webhook's health ends its counts at 10,000, and says since when", async () => {
  const hook = await own();
  for (let batch = 0; batch < 5; batch += 1) await made(hook.id, times(2_000, good));
  await made(hook.id, times(500, { status: 'failed', attempts: [500], agoMs: 7_200_000 } as const));
  const { last_24_hours: day } = await hook.health();
  expect(day).toMatchObject({ delivered: 10_000, failed: 0, success_rate: 100 });
  expect(Date.now() - Date.parse(day.since)).toBeLessThan(3_600_000);
});

it("the health of another account's webhook is 404", async () => {
  const hook = await own();
  await f.as(newId('acct'), 'get', `/v1/webhooks/${hook.id}/health`).expect(404);
});

it("a webhook's health costs at most eleven commands, each by an index that it names", async () => {
  const hook = await own();
  await made(hook.id, [...times(150, good), { status: 'failed', attempts: [500] }]);
  await using scope = new AsyncDisposableStack();
  const options = { dbName: f.database, monitorCommands: true };
  const connection = await createConnection(f.stack.mongodbUri, options).asPromise();
  scope.defer(() => connection.close());
  const log = mongoHealthLog(models(connection), Date.now);
  const hints: unknown[] = [];
  connection.getClient().on('commandStarted', ({ commandName, command }) => {
    if (['find', 'aggregate'].includes(commandName)) hints.push((command as { hint?: unknown }).hint);
  });
  await log.figures(hook.id);
  expect(hints.length).toBeGreaterThan(0);
  expect(hints.length).toBeLessThanOrEqual(11);
  expect(hints).not.toContain(undefined);
});

it('the log of a webhook whose receivers fail in several ways shows the last status and error of each delivery, and is filtered by status code, event, signal and state', async () => {
  const hook = await own(`${f.receiver.url}/hanging`);
  const moveTo = async (url: string) => {
    await hook.ask('patch').send({ url });
    await f.prove(hook.id);
  };
  const send = async (type: 'signal.new' | 'signal.winner') => {
    const event = signalEvent(type);
    await f.publish(event);
    await eventually(async () =>
      expect(await f.delivery(event.id, hook.id)).toMatchObject({ attempt_count: 1 }),
    );
    return { id: deliveryId(event.id, hook.id), signal: event.data.id };
  };
  f.receiver.script('/hanging', 'hang');
  const impatient = await f.startWorker({ retryDelaysMs: [longMs], timeoutMs: 700 });
  const hanging = await send('signal.winner');
  await impatient[Symbol.asyncDispose]();
  await using _worker = await f.startWorker({ retryDelaysMs: [longMs], timeoutMs: 60_000 });
  await moveTo(`${f.receiver.url}/ways`);
  f.receiver.script('/ways', 500, 429, 200);
  const refusedBy500 = await send('signal.new');
  const limited = await send('signal.new');
  const delivered = await send('signal.new');
  await moveTo(nowhere);
  const refused = await send('signal.new');

  const ids = async (query: string) => (await hook.list(query)).data.map(({ id }) => id).sort();
  const sorted = (...some: { id: string }[]) => some.map(({ id }) => id).sort();
  expect(await ids('http_status=500')).toEqual(sorted(refusedBy500));
  expect(await ids('http_status=429&status=retrying')).toEqual(sorted(limited));
  expect(await ids('http_status=429&status=failed')).toEqual([]);
  expect(await ids('http_status=none')).toEqual(sorted(hanging, refused));
  expect(await ids('http_status=none&event=signal.winner')).toEqual(sorted(hanging));
  expect(await ids('http_status=200')).toEqual(sorted(delivered));
  expect(await ids('http_status=200&status=failed')).toEqual([]);
  expect(await ids(`signal_id=${limited.signal}`)).toEqual(sorted(limited));
  expect(await ids(`signal_id=${limited.signal}&status=delivered`)).toEqual([]);
  expect(await ids('status=retrying')).toEqual(sorted(refusedBy500, hanging, limited, refused));

  const { data } = await hook.list('');
  const last = new Map(data.map(({ id, last_attempt }) => [id, last_attempt]));
  expect(last.get(refusedBy500.id)).toMatchObject({ http_status: 500, outcome: 'bad_status' });
  expect(last.get(hanging.id)).toMatchObject({ http_status: null, outcome: 'timeout' });
  expect(last.get(refused.id)?.error).toBe('The connection was refused (ECONNREFUSED)');
  expect(last.get(delivered.id)).toMatchObject({ http_status: 200, error: null });
  expect(await hook.health()).toMatchObject({
    last_attempts: { attempts: 5, succeeded: 1 },
    last_error: { outcome: 'connection', delivery_id: refused.id },
    waiting: 0,
    retrying: 4,
    failed: 0,
  });

  // Once delivered, it is no longer among what was answered with an error.
  await moveTo(`${f.receiver.url}/ways`);
  await hook.ask('post', `deliveries/${refusedBy500.id}/retry`).expect(200);
  await eventually(async () => expect(await ids('http_status=500')).toEqual([]));
  expect(await ids('http_status=200')).toEqual(sorted(delivered, refusedBy500));
});

it.each([
  ['http_status=600', 'http_status'],
  ['http_status=0', 'http_status'],
  ['http_status=5xx', 'http_status'],
  ['signal_id=nova', 'signal_id'],
])(
  'the log of a webhook whose receivers fail in several ways refuses %s, naming %s',
  async (query, field) => {
    const hook = await own();
    const answer = await hook.ask('get', `deliveries?${query}`).expect(400);
    expect(answer.body).toMatchObject({ error: { details: [{ field }] } });
  },
);
