import { defaultThresholds, rulesV1 } from '@sigcast/outcomes';
import { eventually } from '@sigcast/testing';
import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import { sendJson, testChain } from './market.ts';
import { askEvery } from './poller-fixture.ts';
import { token, usePollers } from './use-pollers.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { fixture, follow, sentTo } = usePollers();
const hasSecond = true;
/** A schedule by which a test sees each signal asked about once. */
const schedule = askEvery(3_000_000);
const metricsOf = (id: string) =>
  fixture()
    .sent.filter((each) => each.id === id)
    .map(({ observation }) => observation.metrics);

it('a jump that the second source shows as well counts at once, and is asked about for the tokens that jumped alone', async () => {
  const jumped = { mcap: 90_000, liquidity: 700, volume24h: 5 };
  await follow(3);
  const { id, contract } = await fixture().follow({ token: jumped });
  fixture().second.tokens.set(contract, { ...jumped, mcap: 80_000 });
  await using _poller = fixture().startPoller({ hasSecond, schedule });
  await sentTo([id]);
  expect(metricsOf(id)).toEqual([jumped]);
  expect(fixture().second.requests.map(({ path }) => path)).toEqual([
    `/networks/${testChain}/tokens/multi/${contract}`,
  ]);
  expect((await fixture().trackedOf(id)).seen).toEqual({
    counted: { mcap: 90_000, liquidity: 700, source: 'first' },
  });
});

it('a jump that the first source alone shows is asked about again within a minute, and changes nothing until it is shown again', async () => {
  const { id, contract } = await fixture().follow({ token: { mcap: 90_000, liquidity: 700 } });
  fixture().second.tokens.set(contract, token);
  const registry = new Registry();
  await using _poller = fixture().startPoller({ hasSecond, schedule, registry });
  await eventually(async () => {
    const { lease, due_at, seen } = await fixture().trackedOf(id);
    expect([lease, seen]).toEqual([undefined, { doubted: { mcap: 90_000, liquidity: 700 } }]);
    expect(due_at?.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  });
  expect(fixture().sent).toEqual([]);
  expect(await registry.metrics()).toContain('sigcast_tracker_answers_total{kind="doubted"} 1');
  await fixture().tracked.updateOne({ _id: id }, { $set: { due_at: new Date() } });
  await sentTo([id]);
  expect(metricsOf(id)[0]?.mcap).toBe(90_000);
});

it('while the first source is away the second one’s figures are sent and decide nothing, and all tokens of a claim share a request', async () => {
  // Of tokens that would be winners.
  const signals = await follow(5, {
    token: { mcap: 2_900, liquidity: 1_500 },
    liquidity_entry: 1_500,
    seen: { counted: { mcap: 2_900, liquidity: 1_500, source: 'first' } },
  });
  const [{ id, contract: other } = { id: '', contract: '' }, ...rest] = signals;
  const ids = rest.map((each) => each.id);
  for (const { contract } of rest) fixture().second.tokens.set(contract, { mcap: 3_000, liquidity: 1_400 });
  // Its supply is counted otherwise.
  fixture().second.tokens.set(other, { mcap: 8_000, liquidity: 1_500 });
  fixture().market.fault = (res) => sendJson(res, 503, {});
  const applyRules = rulesV1({
    ...defaultThresholds,
    winner: { ...defaultThresholds.winner, sustained_minutes: 0.0001 },
  });
  await using _poller = fixture().startPoller({ hasSecond, schedule: askEvery(100), applyRules });
  await sentTo(ids, 3);
  for (const one of ids)
    expect(new Set(metricsOf(one).map((metrics) => metrics?.mcap))).toEqual(new Set([3_000]));
  expect(metricsOf(id)).toEqual([]);
  expect(fixture().sent.filter(({ observation }) => observation.status)).toEqual([]);
  expect(fixture().second.requests[0]?.contracts).toHaveLength(5);
  const { position, seen } = await fixture().trackedOf(ids[0] ?? '');
  expect([position, seen?.counted?.source]).toEqual([undefined, 'second']);
  // Once it is back, the first one counts again, and the number of tokens in a request is no longer less.
  fixture().market.fault = undefined;
  await eventually(async () => {
    const now = await fixture().trackedOf(ids[0] ?? '');
    expect([now.seen?.counted?.source, now.most_tokens]).toEqual(['first', undefined]);
  });
});

it('a token that only the second source has is not dead, and one that neither has is', async () => {
  const one = await fixture().follow();
  const gone = await fixture().follow();
  fixture().second.tokens.set(one.contract, { mcap: 1_000, liquidity: 500 });
  const applyRules = rulesV1({
    ...defaultThresholds,
    dead: { ...defaultThresholds.dead, silent_hours: 0.00003 },
  });
  await using _poller = fixture().startPoller({ hasSecond, schedule: askEvery(100), applyRules });
  await eventually(async () => {
    expect((await fixture().signal(gone.id)).signal.performance.status).toBe('dead');
  });
  await sentTo([one.id], 3);
  expect((await fixture().signal(one.id)).signal.performance.status).toBe('active');
});

it('while both sources are away nothing is lost', async () => {
  const { id } = await fixture().follow({ token });
  for (const source of [fixture().market, fixture().second]) source.fault = (res) => sendJson(res, 429, {});
  await using _poller = fixture().startPoller({ hasSecond, schedule });
  await eventually(() => expect(fixture().second.requests.length).toBeGreaterThan(1));
  expect(fixture().sent).toEqual([]);
  fixture().market.fault = undefined;
  await sentTo([id]);
  expect(metricsOf(id)).toEqual([token]);
});
