import type { ServerResponse } from 'node:http';
import type { Permits } from '@sigcast/market';
import { createLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import type { ApplyRules } from '../src/domain/apply-rules.ts';
import { pairOf, sendJson } from './market.ts';
import { askEvery, type Followed } from './poller-fixture.ts';
import { token, usePollers } from './use-pollers.ts';

// Takes some 20 s: most tests wait until pollers have asked several times, or for each other's pauses.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { fixture, follow, sentTo } = usePollers();

it('signals of the same token share a place in a request, in whatever case their addresses are', async () => {
  const contract = `0x${'Ab'.repeat(20)}`;
  fixture().market.tokens.set(contract, token).set(contract.toLowerCase(), token);
  const one = await fixture().follow({ contract });
  const other = await fixture().follow({ contract: contract.toLowerCase() });
  const others = await follow(35);
  await using _poller = fixture().startPoller();
  await sentTo([one, other, ...others].map(({ id }) => id));
  const asked = fixture().market.requests.flatMap(({ contracts }) => contracts);
  expect(asked.filter((each) => each.toLowerCase() === contract.toLowerCase())).toHaveLength(1);
  expect(Math.max(...fixture().market.requests.map(({ contracts }) => contracts.length))).toBe(30);
});

it('one address on several chains is asked about on each of them, by a request for each chain', async () => {
  const contract = `0x${'c1'.repeat(20)}`;
  const [one, other] = [
    { ...token, mcap: 3_000 },
    { ...token, mcap: 4_000 },
  ];
  fixture().market.tokens.set(`one:${contract}`, one).set(`other:${contract}`, other).set(contract, token);
  const { id: ofOne } = await fixture().follow({ contract, chain: 'one' });
  const { id: ofOther } = await fixture().follow({ contract, chain: 'other' });
  const { id: ofNone } = await fixture().follow({ contract, chain: '' });
  await using _poller = fixture().startPoller();
  await sentTo([ofOne, ofOther, ofNone]);
  const mcaps = new Map(fixture().sent.map(({ id, observation }) => [id, observation.metrics?.mcap]));
  expect(mcaps).toEqual(
    new Map([
      [ofOne, 3_000],
      [ofOther, 4_000],
      [ofNone, 2_000],
    ]),
  );
  expect(new Set(fixture().market.requests.map(({ path }) => path))).toEqual(
    new Set([`/tokens/v1/one/${contract}`, `/tokens/v1/other/${contract}`, `/latest/dex/tokens/${contract}`]),
  );
});

it('the limit of requests holds over all pollers', async () => {
  await follow(100);
  let begunAt = 0;
  const beforePermit = () => {
    begunAt ||= Date.now();
  };
  // Long enough that the pollers could ask more often, also on a busy machine.
  const intervalMs = 250;
  const settings = { perMinute: 60_000 / intervalMs, schedule: askEvery(intervalMs), beforePermit };
  await using _one = fixture().startPoller(settings);
  await using _two = fixture().startPoller(settings);
  await using _three = fixture().startPoller(settings);
  await eventually(() => expect(fixture().market.requests.length).toBeGreaterThanOrEqual(8));
  const tooEarly = fixture().market.requests.filter(({ atMs }, n) => atMs < begunAt + n * intervalMs);
  expect(tooEarly).toEqual([]);
});

it.each([429, 503])('a %i with Retry-After pauses the requests of all pollers', async (status) => {
  const ids = (await follow(110)).map(({ id }) => id);
  let refusedAtMs = 0;
  fixture().market.fault = (res) => {
    if (refusedAtMs > 0) return undefined;
    refusedAtMs = Date.now();
    res.setHeader('retry-after', '1');
    return sendJson(res, status, { error: 'too many' });
  };
  await using _one = fixture().startPoller({ atOnce: 1 });
  await using _two = fixture().startPoller({ atOnce: 1 });
  await using _three = fixture().startPoller({ atOnce: 1 });
  await sentTo(ids);
  // The two others may have had a permit when the first one was refused.
  const after = fixture()
    .market.requests.slice(1)
    .map(({ atMs }) => atMs - refusedAtMs);
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
  fixture().market.fault = (res, contracts, index) => {
    const wrong = { pairs: contracts.map((each) => pairOf(each, { mcap: 60, liquidity: 10 })) };
    const faults = [
      () => sendJson(res, 429, wrong),
      () => sendJson(res, 500, wrong),
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
  await using _one = fixture().startPoller(settings);
  await using _two = fixture().startPoller(settings);
  await eventually(
    async () => {
      for (const { id } of dying) expect((await fixture().signal(id)).signal.performance.status).toBe('dead');
      for (const { id } of living) {
        const { metrics, performance } = (await fixture().signal(id)).signal;
        expect([metrics.mcap_current, performance.status]).toEqual([2_000, 'active']);
      }
      expect(fixture().market.requests.length).toBeGreaterThan(20);
    },
    { timeoutMs: 40_000 },
  );
  const sentMcaps = new Set(fixture().sent.map(({ observation }) => observation.metrics?.mcap));
  expect(sentMcaps).toEqual(new Set([2_000, 50]));
  // Each signal that died did so once.
  expect(fixture().sent.filter(({ observation }) => observation.status === 'dead')).toHaveLength(
    dying.length,
  );
});

it('while the market is away nothing is lost, and when it is back the signals that were due first are asked about first', async () => {
  const atMs = Date.now() - 3_600_000;
  const signals: Followed[] = [];
  for (let n = 0; n < 90; n++) signals.push(await fixture().follow({ token, due_at: new Date(atMs + n) }));
  fixture().market.fault = (res) => (res.destroy() ? true : undefined);
  await using _poller = fixture().startPoller({ atOnce: 1 });
  await eventually(() => expect(fixture().market.requests.length).toBeGreaterThanOrEqual(5));
  fixture().market.fault = undefined;
  await sentTo(signals.map(({ id }) => id));
  expect(fixture().sent.map(({ id }) => signals.findIndex((each) => each.id === id))).toEqual(
    expect.arrayContaining(signals.map((_, n) => n)),
  );
  // Each request has 30 of them, in any order.
  const requestsOf = (list: readonly { readonly id: string }[]) =>
    [0, 30, 60].map((from) =>
      list
        .slice(from, from + 30)
        .map(({ id }) => id)
        .sort(),
    );
  expect(requestsOf(fixture().sent)).toEqual(requestsOf(signals));
});

/** Ways in which a market fails for a request in which one address is not to its taste. */
const failures: readonly ((res: ServerResponse) => unknown)[] = [
  (res) => sendJson(res, 403, {}),
  (res) => sendJson(res, 500, {}),
  (res) => res.end('<html>'),
  (res) => res.socket?.end('no HTTP\r\n\r\n'),
  // More than is read.
  (res) => res.end(Buffer.alloc(9 * 1024 * 1024, ' ')),
];

it('an address at which the market fails, in whatever way, is found by halves, keeps no other signal back, and costs a request each time', async () => {
  let failed = 0;
  const bad = await fixture().follow({ due_at: new Date(Date.now() - 60_000) });
  const others = (await follow(35)).map(({ id }) => id);
  fixture().market.fault = (res, contracts) => {
    if (!contracts.includes(bad.contract)) return undefined;
    failures[failed++ % failures.length]?.(res);
    return true;
  };
  const lines: { failures?: number }[] = [];
  const log = createLogger({
    service: 'test',
    destination: { write: (line) => void lines.push(JSON.parse(line) as { failures?: number }) },
  });
  await using _poller = fixture().startPoller({ schedule: askEvery(250), log });
  await sentTo(others, 3);
  const costs = () => fixture().market.requests.filter(({ contracts }) => contracts.includes(bad.contract));
  await eventually(() => expect(costs().length).toBeGreaterThan(9));
  // Together with ever fewer others, and then by itself each time it is due by the schedule.
  const sizes = costs().map(({ contracts }) => contracts.length);
  expect(sizes).toEqual([30, 15, 8, 4, 2, ...sizes.slice(5).map(() => 1)]);
  expect((await fixture().trackedOf(bad.id)).most_tokens).toBe(1);
  // What may be one token's fault makes the pauses of all no longer: the search counts as one failure, the token as another.
  expect(Math.max(...lines.map(({ failures = 0 }) => failures))).toBeLessThanOrEqual(2);
  // The market answers about all others together again.
  for (const id of others) expect(await fixture().trackedOf(id)).not.toHaveProperty('most_tokens');
  // And about this one, too, once it answers.
  fixture().market.fault = undefined;
  fixture().market.tokens.set(bad.contract, token);
  await sentTo([bad.id]);
  await eventually(async () => expect(await fixture().trackedOf(bad.id)).not.toHaveProperty('most_tokens'));
});

it('while every request is refused, as by a wrong address of the market, the pauses get longer and nothing is lost', async () => {
  const signals = await follow(40);
  fixture().market.fault = (res) => sendJson(res, 404, {});
  await using _poller = fixture().startPoller();
  await eventually(() => expect(fixture().market.requests.length).toBeGreaterThanOrEqual(10));
  // Without pauses they would be there at once. Those of the test are 100 ms at most, at random.
  const [first, ...later] = fixture().market.requests;
  expect((later.at(-1)?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(100);
  expect(fixture().sent).toEqual([]);
  for (const { id } of signals) expect(await fixture().trackedOf(id)).toHaveProperty('due_at');
});

it('a contract that can be no address is never asked about, and waits for its next regular time', async () => {
  const contracts = ['a b', 'a,b', '../x', '..', '?', '%00', '\u9be8', 'x'.repeat(129)];
  const registry = new Registry();
  const unusable: Followed[] = [];
  for (const contract of contracts) unusable.push(await fixture().follow({ contract }));
  const { id: other } = await fixture().follow({ token });
  await using _poller = fixture().startPoller({ registry });
  await sentTo([other]);
  await eventually(async () => {
    for (const { id, contract } of unusable) {
      const { lease, due_at } = await fixture().trackedOf(id);
      const isLater = due_at && due_at > new Date(Date.now() + 50_000);
      expect([contract, lease, isLater]).toEqual([contract, undefined, true]);
    }
  });
  expect(fixture().market.requests.map(({ contracts: asked }) => asked.length)).toEqual([1]);
  expect(await registry.metrics()).toContain(
    `sigcast_tracker_answers_total{kind="unusable"} ${contracts.length}`,
  );
});

it('while Redis is away the market is not asked, and what is due waits', async () => {
  const { id } = await fixture().follow({ token });
  let away = true;
  const permits: Permits = {
    take: () => (away ? Promise.reject(new Error('Redis is away')) : Promise.resolve(0)),
    pause: () => Promise.resolve(),
  };
  const registry = new Registry();
  await using _poller = fixture().startPoller({ permits, registry });
  await eventually(async () => expect(await registry.metrics()).toContain('sigcast_tracker_signals_due 1'));
  expect(fixture().market.requests).toEqual([]);
  away = false;
  await sentTo([id]);
});
