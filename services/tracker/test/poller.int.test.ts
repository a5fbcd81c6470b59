import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { Registry } from 'prom-client';
import type { ApplyRules } from '../src/domain/apply-rules.ts';
import type { MarketObservation } from '../src/domain/rules/observation.ts';
import type { redisPermits } from '../src/market/permits.ts';
import { pairOf, sendJson } from './market.ts';
import { askEvery, type Followed, type PollerFixture, pollerFixture } from './poller-fixture.ts';
import { signalsInFront } from './signals-in-front.ts';

jest.setTimeout(60_000);

let f: PollerFixture;
beforeAll(async () => {
  f = await pollerFixture();
});
// Signals of a test that are still followed would be asked by the next test's pollers.
afterEach(async () => {
  f.market.fault = undefined;
  f.market.requests.length = 0;
  f.sent.length = 0;
  await f.tracked.deleteMany();
});
afterAll(() => f[Symbol.asyncDispose]());

const token = { mcap: 2_000, liquidity: 800, volume24h: 70 };

async function follow(count: number, more: Parameters<PollerFixture['follow']>[0] = {}) {
  return Array.from(await Promise.all(Array.from({ length: count }, () => f.follow({ token, ...more }))));
}

/** Decides at every observation that the token is dead. */
const decideDead: ApplyRules = (_followed, _state, { observedAt }) => ({
  state: {},
  decision: { status: 'dead', rule: 'v1', observations: [observedAt] },
});

/**
 * A signals service that refuses decisions until it is replaced by the real one. With status 200 it refuses each
 * observation's figures, in the report.
 */
const serviceWithout = (url: string, { status, code }: { status: number; code: string }) =>
  signalsInFront(url, (res, method, body) => {
    const message = 'not yet';
    if (status === 200) {
      const observations = body.observations as { id: string }[];
      const errors = observations.map(({ id }) => ({ id, code, message, details: [] }));
      return sendJson(res, 200, { data: { applied: 0, unchanged: 0, errors } });
    }
    return method === 'PATCH' && sendJson(res, status, { error: { code, message } });
  });

/** Waits until every one of these signals was observed and sent so often. */
const sentTo = (ids: readonly string[], times = 1) =>
  eventually(() => {
    const counts = Map.groupBy(f.sent, ({ id }) => id);
    for (const id of ids) expect(counts.get(id)?.length ?? 0).toBeGreaterThanOrEqual(times);
  });

it('what the market says of a token becomes the figures of its signal', async () => {
  const { id } = await f.follow({ token });
  await using _poller = f.startPoller();
  await eventually(async () =>
    expect((await f.signal(id)).signal.metrics).toMatchObject({
      ...{ mcap_current: 2_000, liquidity: 800, volume_24h: 70 },
    }),
  );
  await eventually(async () => {
    const { lease, pending, due_at } = await f.trackedOf(id);
    expect([lease, pending]).toEqual([undefined, undefined]);
    // By the schedule, a minute after the observation.
    expect(due_at).toEqual(new Date((f.sent[0]?.observation.observedAt.getTime() ?? 0) + 60_000));
  });
  expect((await f.signal(id)).rev).toBe(2);
});

it('each signal is asked about by one of three pollers, and no more often than the schedule says', async () => {
  const ids = (await follow(70)).map(({ id }) => id);
  const everyMs = 250;
  await using _one = f.startPoller({ schedule: askEvery(everyMs) });
  await using _two = f.startPoller({ schedule: askEvery(everyMs) });
  await using _three = f.startPoller({ schedule: askEvery(everyMs) });
  await sentTo(ids, 3);
  for (const [, sent] of Map.groupBy(f.sent, ({ id }) => id)) {
    const at = sent.map(({ observation }) => observation.observedAt.getTime());
    const pauses = at.slice(1).map((ms, n) => ms - (at[n] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(everyMs);
  }
});

it('signals of the same token share a place in a request, in whatever case their addresses are', async () => {
  const contract = `0x${'Ab'.repeat(20)}`;
  f.market.tokens.set(contract, token).set(contract.toLowerCase(), token);
  const one = await f.follow({ contract });
  const other = await f.follow({ contract: contract.toLowerCase() });
  const others = await follow(35);
  await using _poller = f.startPoller();
  await sentTo([one, other, ...others].map(({ id }) => id));
  const asked = f.market.requests.flatMap(({ contracts }) => contracts);
  expect(asked.filter((each) => each.toLowerCase() === contract.toLowerCase())).toHaveLength(1);
  expect(Math.max(...f.market.requests.map(({ contracts }) => contracts.length))).toBe(30);
});

it('the limit of requests holds over all pollers', async () => {
  await follow(100);
  const begunAt = Date.now();
  const intervalMs = 50;
  // There is more to ask about at any time than the limit allows.
  const settings = { perMinute: 60_000 / intervalMs, schedule: askEvery(intervalMs) };
  await using _one = f.startPoller(settings);
  await using _two = f.startPoller(settings);
  await using _three = f.startPoller(settings);
  await eventually(() => expect(f.market.requests.length).toBeGreaterThanOrEqual(20));
  const tooEarly = f.market.requests.filter(({ atMs }, n) => atMs < begunAt + n * intervalMs);
  expect(tooEarly).toEqual([]);
});

it.each([429, 503])('a %i with Retry-After pauses the requests of all pollers', async (status) => {
  const ids = (await follow(110)).map(({ id }) => id);
  let refusedAtMs = 0;
  f.market.fault = (res) => {
    if (refusedAtMs > 0) return undefined;
    refusedAtMs = Date.now();
    res.setHeader('retry-after', '1');
    return sendJson(res, status, { error: 'too many' });
  };
  await using _one = f.startPoller({ atOnce: 1 });
  await using _two = f.startPoller({ atOnce: 1 });
  await using _three = f.startPoller({ atOnce: 1 });
  await sentTo(ids);
  // The two others may have had a permit when the first one was refused.
  const after = f.market.requests.slice(1).map(({ atMs }) => atMs - refusedAtMs);
  expect(after.filter((ms) => ms < 1_000).length).toBeLessThanOrEqual(2);
});

it('with three in ten answers refused, broken, no JSON or nonsense, signals get the same figures and decisions as without', async () => {
  const rule: ApplyRules = (_followed, state, observation) => {
    const before = (state as { low?: number } | undefined)?.low ?? 0;
    const low = observation.kind === 'market' && observation.mcap < 100 ? before + 1 : 0;
    const observations = [observation.observedAt];
    return { state: { low }, ...(low === 2 && { decision: { status: 'dead', rule: 'v1', observations } }) };
  };
  const living = await follow(50);
  const dying = await follow(20, { token: { mcap: 50, liquidity: 10 } });
  f.market.fault = (res, contracts, index) => {
    const faults = [
      () => sendJson(res, 429, {}),
      () => sendJson(res, 500, {}),
      () => Boolean(res.setHeader('content-type', 'text/html').end('<html>Just a moment')),
      () => sendJson(res, 200, { pairs: 'none' }),
      () =>
        sendJson(res, 200, {
          pairs: contracts.map((each) => ({ ...pairOf(each, token), marketCap: 'n/a' })),
        }),
      () => Boolean(res.destroy()),
    ];
    // Every third one, each kind in turn.
    if (index % 3 !== 0) return undefined;
    return faults[(index / 3) % faults.length]?.() ? true : undefined;
  };
  const settings = { schedule: askEvery(250), applyRules: rule };
  await using _one = f.startPoller(settings);
  await using _two = f.startPoller(settings);
  await eventually(
    async () => {
      for (const { id } of dying) expect((await f.signal(id)).signal.performance.status).toBe('dead');
      for (const { id } of living) {
        const { metrics, performance } = (await f.signal(id)).signal;
        expect([metrics.mcap_current, performance.status]).toEqual([2_000, 'active']);
      }
      expect(f.market.requests.length).toBeGreaterThan(20);
    },
    { timeoutMs: 40_000 },
  );
  // Each signal that died did so once.
  expect(f.sent.filter(({ observation }) => observation.status === 'dead')).toHaveLength(dying.length);
});

it('while the market is away nothing is lost, and when it is back those are asked about first that were due first', async () => {
  const atMs = Date.now() - 3_600_000;
  const signals: Followed[] = [];
  for (let n = 0; n < 90; n++) signals.push(await f.follow({ token, due_at: new Date(atMs + n) }));
  f.market.fault = (res) => (res.destroy() ? true : undefined);
  await using _poller = f.startPoller({ atOnce: 1 });
  await eventually(() => expect(f.market.requests.length).toBeGreaterThanOrEqual(5));
  f.market.fault = undefined;
  await sentTo(signals.map(({ id }) => id));
  expect(f.sent.map(({ id }) => signals.findIndex((each) => each.id === id))).toEqual(
    expect.arrayContaining(signals.map((_, n) => n)),
  );
  const batches = [0, 30, 60].map((from) =>
    f.sent
      .slice(from, from + 30)
      .map(({ id }) => id)
      .sort(),
  );
  expect(batches).toEqual(
    [0, 30, 60].map((from) =>
      signals
        .slice(from, from + 30)
        .map(({ id }) => id)
        .sort(),
    ),
  );
});

it('a signal that a producer makes final while the market is asked is dropped', async () => {
  const release = f.market.hold();
  const { id } = await f.follow({ token });
  const { id: other } = await f.follow({ token });
  await using _poller = f.startPoller();
  await eventually(() => expect(f.market.requests.flatMap(({ contracts }) => contracts)).toHaveLength(2));
  await f.patch(id, { status: 'dead' });
  // As the consumer of events does.
  await f.tracked.updateOne(
    { _id: id },
    { $set: { rev: 2, status: 'dead' }, $unset: { due_at: '', lease: '', state: '', pending: '' } },
  );
  release();
  await sentTo([other]);
  expect(f.sent.map((each) => each.id)).toEqual([other]);
  expect(await f.trackedOf(id)).not.toHaveProperty('due_at');
});

it('a status that the service does not take, because a producer was first, is dropped, and the figures are not', async () => {
  const { id } = await f.follow({ token });
  await f.patch(id, { status: 'winner' });
  const registry = new Registry();
  await using _poller = f.startPoller({ applyRules: decideDead, registry });
  await eventually(async () => {
    const { lease, pending, due_at } = await f.trackedOf(id);
    expect([lease, pending, due_at && due_at > new Date()]).toEqual([undefined, undefined, true]);
  });
  expect((await f.signal(id)).signal).toMatchObject({
    ...{ metrics: { mcap_current: 2_000 }, performance: { status: 'winner' } },
  });
  const metrics = await registry.metrics();
  expect(metrics).toContain('sigcast_tracker_observations_total{result="conflict"} 1');
  expect(metrics).toContain('sigcast_tracker_decisions_total{status="dead"} 0');
});

it('a status counts though a producer observed the signal later, and the older figures do not', async () => {
  const { id } = await f.follow({ token });
  const beforeSend = () => f.patch(id, { metrics: { mcap_current: 5_000 } });
  await using _poller = f.startPoller({ applyRules: decideDead, beforeSend });
  await sentTo([id]);
  expect(await f.signal(id)).toMatchObject({
    rev: 3,
    signal: { metrics: { mcap_current: 5_000 }, performance: { status: 'dead' } },
  });
});

it('a status that is decided while the market knows no token is sent without figures', async () => {
  const { id, contract } = await f.follow({ token });
  f.market.tokens.delete(contract);
  const registry = new Registry();
  await using _poller = f.startPoller({ applyRules: decideDead, registry });
  await eventually(async () => expect(await f.trackedOf(id)).not.toHaveProperty('pending'));
  await eventually(async () =>
    expect(await f.signal(id)).toMatchObject({ rev: 2, signal: { performance: { status: 'dead' } } }),
  );
  await eventually(async () =>
    expect(await registry.metrics()).toContain('sigcast_tracker_decisions_total{status="dead"} 1'),
  );
});

it.each([
  ['does not know evidence yet', 400, 'INVALID_REQUEST'],
  ['is away', 503, 'SERVICE_UNAVAILABLE'],
])(
  'a status is kept while the signals service %s, and counts once when it is taken, as the figures do',
  async (_, status, code) => {
    await using service = await serviceWithout(f.signalsUrl, { status, code });
    const { id } = await f.follow({ token });
    const registry = new Registry();
    await using _poller = f.startPoller({ applyRules: decideDead, signalsUrl: service.url, registry });
    await eventually(async () => {
      const { pending, lease, due_at } = await f.trackedOf(id);
      expect([lease, due_at && due_at > new Date(Date.now() + 50_000)]).toEqual([undefined, true]);
      expect(pending).toMatchObject({ status: 'dead' });
    });
    expect(await f.signal(id)).toMatchObject({ rev: 2, signal: { performance: { status: 'active' } } });
    expect(await registry.metrics()).toContain('sigcast_tracker_decisions_total{status="dead"} 0');
    service.replace();
    await f.tracked.updateOne({ _id: id }, { $set: { due_at: new Date() } });
    await eventually(async () => expect(await f.trackedOf(id)).not.toHaveProperty('pending'));
    expect(await f.signal(id)).toMatchObject({ rev: 3, signal: { performance: { status: 'dead' } } });
    expect(await registry.metrics()).toContain('sigcast_tracker_decisions_total{status="dead"} 1');
    expect(f.market.requests).toHaveLength(1);
  },
);

it('an observation that the signals service refuses as one of the future is kept, and the poller says so', async () => {
  const { id } = await f.follow({ token });
  const observed_at = new Date(Date.now() + 600_000);
  const pending = { observed_at, metrics: { mcap: 3_000, liquidity: 800, volume_24h: 1 } };
  await f.tracked.updateOne({ _id: id }, { $set: { pending } });
  const warnings: unknown[] = [];
  const log = Object.assign(silentLogger(), { warn: (...said: unknown[]) => void warnings.push(said) });
  await using _poller = f.startPoller({ log });
  await eventually(async () => {
    const { lease, due_at } = await f.trackedOf(id);
    expect([lease, due_at && due_at > new Date(Date.now() + 50_000)]).toEqual([undefined, true]);
  });
  expect(await f.trackedOf(id)).toMatchObject({ pending });
  await eventually(() => expect(JSON.stringify(warnings)).toContain('polling pauses'));
});

it('figures that the signals service does not take yet wait, however often the schedule asks', async () => {
  await using service = await serviceWithout(f.signalsUrl, { status: 200, code: 'SERVICE_UNAVAILABLE' });
  const { id } = await f.follow({ token });
  await using _poller = f.startPoller({ signalsUrl: service.url, schedule: askEvery(250) });
  await eventually(async () => {
    const { pending, lease, due_at } = await f.trackedOf(id);
    expect([lease, due_at && due_at > new Date(Date.now() + 50_000)]).toEqual([undefined, true]);
    expect(pending).toBeDefined();
  });
});

it('a token that the market does not know any more is an observation without a market, and its signal stays as it is', async () => {
  const { id, contract } = await f.follow({ token });
  const observed: MarketObservation[] = [];
  const applyRules: ApplyRules = (_followed, _state, observation) => {
    observed.push(observation);
    return { state: { seen: observed.length } };
  };
  f.market.tokens.delete(contract);
  await using _poller = f.startPoller({ applyRules });
  await eventually(async () => {
    const { state, lease, due_at } = await f.trackedOf(id);
    expect([state, lease, due_at && due_at > new Date()]).toEqual([{ seen: 1 }, undefined, true]);
  });
  expect(observed).toMatchObject([{ kind: 'absent' }]);
  expect(f.sent).toEqual([]);
  expect((await f.signal(id)).rev).toBe(1);
});

it('a signal past the last age of the schedule is not followed any more, and its market is not asked', async () => {
  const { id } = await f.follow({ token, created_at: new Date(Date.now() - 7_200_000) });
  await using _poller = f.startPoller({ schedule: askEvery(60_000) });
  await eventually(async () => expect(await f.trackedOf(id)).not.toHaveProperty('due_at'));
  expect(f.market.requests).toEqual([]);
});

it('a signal that does not exist is not followed any more, and one whose figures are refused is asked again by the schedule', async () => {
  const { id } = await f.follow({ token });
  const { id: huge } = await f.follow({ token: { mcap: Number.MAX_SAFE_INTEGER, liquidity: 1 } });
  const missing = 'sig_00000000000000000000000000';
  await f.tracked.insertOne({ ...(await f.trackedOf(id)), _id: missing, due_at: new Date() });
  await using _poller = f.startPoller();
  await eventually(async () => {
    expect(await f.trackedOf(missing)).not.toHaveProperty('due_at');
    for (const each of [id, huge]) {
      const { lease, pending, due_at } = await f.trackedOf(each);
      expect([lease, pending, due_at && due_at > new Date()]).toEqual([undefined, undefined, true]);
    }
  });
  expect((await f.signal(id)).signal.metrics.mcap_current).toBe(2_000);
  expect((await f.signal(huge)).rev).toBe(1);
});

/** Ways in which a market fails for a request in which one address is not to its taste. */
const failures: readonly (readonly [string, (res: ServerResponse) => unknown])[] = [
  ['is refused with 403', (res) => sendJson(res, 403, {})],
  ['is answered by 500', (res) => sendJson(res, 500, {})],
  ['is answered by no JSON', (res) => res.end('<html>')],
  ['is answered by what is no HTTP', (res) => res.socket?.end('no HTTP\r\n\r\n')],
  ['is answered by more than is read', (res) => res.end(Buffer.alloc(9 * 1024 * 1024, ' '))],
];

it.each(failures)(
  'an address that %s keeps no other signal back, and costs a request each time',
  async (_, fail) => {
    const bad = await f.follow({ due_at: new Date(Date.now() - 60_000) });
    const others = (await follow(70)).map(({ id }) => id);
    f.market.fault = (res, contracts) => {
      if (!contracts.includes(bad.contract)) return undefined;
      fail(res);
      return true;
    };
    await using _poller = f.startPoller({ schedule: askEvery(250) });
    await sentTo(others, 3);
    const costs = () => f.market.requests.filter(({ contracts }) => contracts.includes(bad.contract));
    await eventually(() => expect(costs().length).toBeGreaterThan(2));
    // One together with others, and then one by itself each time it is due by the schedule.
    const [together, ...alone] = costs();
    expect(together?.contracts.length).toBeGreaterThan(1);
    for (const { contracts } of alone) expect(contracts).toEqual([bad.contract]);
    expect((await f.trackedOf(bad.id)).alone).toBe(true);
    // The market answers about all others together again.
    for (const id of others) expect(await f.trackedOf(id)).not.toHaveProperty('alone');
    // And about this one, too, once it answers.
    f.market.fault = undefined;
    f.market.tokens.set(bad.contract, token);
    await sentTo([bad.id]);
    await eventually(async () => expect(await f.trackedOf(bad.id)).not.toHaveProperty('alone'));
  },
);

it('while every request is refused, as by a wrong address of the market, the pauses get longer and nothing is lost', async () => {
  const signals = await follow(40);
  f.market.fault = (res) => sendJson(res, 404, {});
  await using _poller = f.startPoller();
  await eventually(() => expect(f.market.requests.length).toBeGreaterThanOrEqual(10));
  // Without pauses they would be there at once. Those of the test are 100 ms at most, at random.
  const [first, ...later] = f.market.requests;
  expect((later.at(-1)?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(100);
  expect(f.sent).toEqual([]);
  for (const { id } of signals) expect(await f.trackedOf(id)).toHaveProperty('due_at');
});

it.each([['a b'], ['a,b'], ['../x'], ['..'], ['?'], ['%00'], ['\u9be8'], ['x'.repeat(129)]])(
  'a contract that can be no address is never asked about, and waits for its next regular time: %j',
  async (contract) => {
    const registry = new Registry();
    const { id } = await f.follow({ contract });
    const { id: other } = await f.follow({ token });
    await using _poller = f.startPoller({ registry });
    await sentTo([other]);
    await eventually(async () => {
      const { lease, due_at } = await f.trackedOf(id);
      expect([lease, due_at && due_at > new Date(Date.now() + 50_000)]).toEqual([undefined, true]);
    });
    expect(f.market.requests.map(({ contracts }) => contracts.length)).toEqual([1]);
    expect(await registry.metrics()).toContain('sigcast_tracker_answers_total{kind="unusable"} 1');
  },
);

it('while Redis is away the market is not asked, and what is due waits', async () => {
  const { id } = await f.follow({ token });
  let away = true;
  const permits: ReturnType<typeof redisPermits> = {
    take: () => (away ? Promise.reject(new Error('Redis is away')) : Promise.resolve(0)),
    pause: () => Promise.resolve(),
  };
  const registry = new Registry();
  await using _poller = f.startPoller({ permits, registry });
  await eventually(async () => expect(await registry.metrics()).toContain('sigcast_tracker_signals_due 1'));
  expect(f.market.requests).toEqual([]);
  away = false;
  await sentTo([id]);
});

it('a poller that stops gives its signals back, due as before', async () => {
  f.market.hold();
  const dueAt = new Date(Date.now() - 5_000);
  const { id } = await f.follow({ token, due_at: dueAt });
  {
    await using _poller = f.startPoller();
    await eventually(() => expect(f.market.requests).toHaveLength(1));
    expect((await f.trackedOf(id)).lease).toBeDefined();
  }
  const { lease, due_at } = await f.trackedOf(id);
  expect([lease, due_at]).toEqual([undefined, dueAt]);
  f.market.hold()();
});

it('metrics show requests, observations, decisions, staleness and what is due', async () => {
  const registry = new Registry();
  const { id } = await f.follow({ token, due_at: new Date(Date.now() - 20_000) });
  const applyRules: ApplyRules = (_followed, _state, { observedAt }) => ({
    state: {},
    decision: { status: 'rugged', rule: 'v1', observations: [observedAt] },
  });
  await using _poller = f.startPoller({ registry, applyRules });
  await sentTo([id]);
  await eventually(async () => {
    const lines = (await registry.metrics()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'sigcast_tracker_market_requests_total{outcome="answered"} 1',
        'sigcast_tracker_market_requests_total{outcome="bad_status"} 0',
        'sigcast_tracker_answers_total{kind="market"} 1',
        'sigcast_tracker_observations_total{result="applied"} 1',
        'sigcast_tracker_decisions_total{status="rugged"} 1',
        'sigcast_tracker_staleness_seconds_bucket{le="10"} 0',
        'sigcast_tracker_staleness_seconds_bucket{le="30"} 1',
        'sigcast_tracker_signals_due 0',
      ]),
    );
  });
});
