import type { MarketObservation } from '@sigcast/outcomes';
import { eventually } from '@sigcast/testing';
import { expect, it, vi } from 'vitest';
import type { ApplyRules } from '../src/domain/apply-rules.ts';
import { askEvery } from './poller-fixture.ts';
import { labelPosition } from './position/label.ts';
import { usePollers } from './use-pollers.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { fixture } = usePollers();

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const token = { mcap: 1_000, liquidity: 20_000, volume24h: 70 };
const settings = { schedule: askEvery(100) };

/** Decides that a token is dead once its market is gone. */
const deadWhenGone: ApplyRules = (_followed, _state, { kind, observedAt }) => ({
  state: {},
  ...(kind === 'absent' && { decision: { status: 'dead', rule: 'v1', observations: [observedAt] } }),
});

const untilExit = (id: string, exit: string | null) =>
  eventually(async () => {
    const realizable = await fixture().realizable(id);
    expect(realizable).toMatchObject({ exit });
    return realizable;
  });

it('a followed signal shows what the exit rule says of its observations, from the entry to the exit and ever after', async () => {
  const created_at = minutesAgo(2);
  const { id, contract } = await fixture().follow({ token, created_at });
  await using _poller = fixture().startPoller(settings);
  await untilExit(id, null);
  fixture().market.tokens.set(contract, { ...token, mcap: 2_500 });
  const sold = await untilExit(id, 'target');
  fixture().market.tokens.set(contract, { ...token, mcap: 10 });
  await eventually(async () => expect((await fixture().signal(id)).signal.metrics.mcap_current).toBe(10));
  expect(await fixture().realizable(id)).toEqual(sold);

  const history = fixture().sent.flatMap(({ observation: { observedAt, metrics } }): MarketObservation[] =>
    metrics ? [{ kind: 'market', observedAt, ...metrics }] : [],
  );
  const expected = labelPosition(history, { createdAt: created_at }, undefined);
  expect(sold).toEqual({ ...expected, roi: expect.closeTo(expected?.roi ?? Number.NaN, 2) });
  expect(expected?.entered_at).toBe(history[0]?.observedAt.toISOString());
});

it('a signal that nobody observed in its first hour shows no position', async () => {
  const { id } = await fixture().follow({ token, created_at: minutesAgo(61) });
  await using _poller = fixture().startPoller({ schedule: askEvery(100, 86_400_000) });
  await eventually(() => expect(fixture().sent.length).toBeGreaterThanOrEqual(2));
  expect(fixture().sent.map(({ observation }) => observation.realizable)).not.toContainEqual(
    expect.anything(),
  );
  expect(await fixture().realizable(id)).toBeNull();
});

it('a position stays open when its signal becomes a winner, and is sold at its target', async () => {
  const { id, contract } = await fixture().follow({ token, created_at: minutesAgo(2) });
  let seen = 0;
  const winsAtOnce: ApplyRules = (_followed, _state, { observedAt }) => ({
    state: {},
    ...(++seen === 2 && { decision: { status: 'winner', rule: 'v1', observations: [observedAt] } }),
  });
  await using _poller = fixture().startPoller({ ...settings, applyRules: winsAtOnce });
  await eventually(async () => expect((await fixture().signal(id)).signal.performance.status).toBe('winner'));
  expect(await fixture().realizable(id)).toMatchObject({ exit: null });
  fixture().market.tokens.set(contract, { ...token, mcap: 2_500 });
  await untilExit(id, 'target');
});

it('a position ends with the decision that ends its signal, at the newest observation of the market', async () => {
  const { id, contract } = await fixture().follow({ token, created_at: minutesAgo(2) });
  await using _poller = fixture().startPoller({ ...settings, applyRules: deadWhenGone });
  await untilExit(id, null);
  fixture().market.tokens.delete(contract);
  const ended = await untilExit(id, 'end');
  const last = fixture().sent.findLast(({ observation }) => observation.metrics !== undefined);
  expect(ended).toMatchObject({ exited_at: last?.observation.observedAt.toISOString(), roi: -3.89 });
  expect((await fixture().signal(id)).signal.performance.status).toBe('dead');
});

it('a position ends with the decision that ends its signal, though a producer observed the signal later', async () => {
  const { id } = await fixture().follow({ token, created_at: minutesAgo(2) });
  const beforeSend = () => fixture().patch(id, { metrics: { mcap_current: 5_000 } });
  const decideDead: ApplyRules = (_followed, _state, { observedAt }) => ({
    state: {},
    decision: { status: 'dead', rule: 'v1', observations: [observedAt] },
  });
  await using _poller = fixture().startPoller({ ...settings, applyRules: decideDead, beforeSend });
  await untilExit(id, 'end');
  expect((await fixture().signal(id)).signal).toMatchObject({
    metrics: { mcap_current: 5_000 },
    performance: { status: 'dead' },
  });
});

it('what the exit rule says is kept with an observation that was not sent, and sent as it was', async () => {
  const { id } = await fixture().follow({ created_at: minutesAgo(2) });
  const observed_at = minutesAgo(1);
  const realizable = {
    rule: 'v1',
    roi: 12.34,
    entered_at: observed_at.toISOString(),
    exited_at: null,
    exit: null,
  };
  const pending = { observed_at, metrics: { mcap: 3_000, liquidity: 800, volume_24h: 1 }, realizable };
  await fixture().tracked.updateOne({ _id: id }, { $set: { pending } });
  await using _poller = fixture().startPoller();
  await eventually(async () => expect(await fixture().trackedOf(id)).not.toHaveProperty('pending'));
  expect(fixture().sent[0]?.observation).toMatchObject({ realizable });
  expect(await fixture().realizable(id)).toEqual(realizable);
});

it('a signal that is not followed any more leaves no position behind', async () => {
  const { id } = await fixture().follow({ token, created_at: minutesAgo(61) });
  await fixture().tracked.updateOne({ _id: id }, { $set: { position: { rule: 'v1', newest: 1 } } });
  await using _poller = fixture().startPoller(settings);
  await eventually(async () => expect(await fixture().trackedOf(id)).not.toHaveProperty('due_at'));
  expect(await fixture().trackedOf(id)).not.toHaveProperty('position');
});
