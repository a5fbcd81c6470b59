import type { MarketObservation } from '@sigcast/outcomes';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import type { ApplyRules } from '../src/domain/apply-rules.ts';
import { sendJson } from './market.ts';
import { askEvery } from './poller-fixture.ts';
import { signalsInFront } from './signals-in-front.ts';
import { token, usePollers } from './use-pollers.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { fixture, follow, sentTo } = usePollers();

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
      const errors = observations.map(({ id }, index) => ({ index, id, code, message, details: [] }));
      const [received, failed] = [errors.length, errors.length];
      return sendJson(res, 200, { data: { received, applied: 0, unchanged: 0, failed, errors } });
    }
    return method === 'PATCH' && sendJson(res, status, { error: { code, message } });
  });

it('what the market says of a token becomes the figures of its signal', async () => {
  const { id } = await fixture().follow({ token });
  await using _poller = fixture().startPoller();
  await eventually(async () =>
    expect((await fixture().signal(id)).signal.metrics).toMatchObject({
      mcap_current: 2_000,
      liquidity: 800,
      volume_24h: 70,
    }),
  );
  await eventually(async () => {
    const { lease, pending, due_at } = await fixture().trackedOf(id);
    expect([lease, pending]).toEqual([undefined, undefined]);
    // By the schedule, a minute after the observation.
    expect(due_at).toEqual(new Date((fixture().sent[0]?.observation.observedAt.getTime() ?? 0) + 60_000));
  });
  expect((await fixture().signal(id)).rev).toBe(2);
});

it('each signal is asked about by one of three pollers, and no more often than the schedule says', async () => {
  const signals = await follow(70);
  const everyMs = 1_000;
  const schedule = askEvery(everyMs);
  await using _one = fixture().startPoller({ schedule });
  await using _two = fixture().startPoller({ schedule });
  await using _three = fixture().startPoller({ schedule });
  await sentTo(
    signals.map(({ id }) => id),
    3,
  );
  // Past the schedule's last age, so that each is let go once what is under way has been sent.
  await fixture().tracked.updateMany({}, { $set: { created_at: new Date(0) } });
  await eventually(async () =>
    expect(await fixture().tracked.countDocuments({ due_at: { $exists: true } })).toBe(0),
  );
  const asked = fixture().market.requests.flatMap(({ contracts }) => contracts);
  for (const { id, contract } of signals) {
    const at = fixture()
      .sent.filter((each) => each.id === id)
      .map(({ observation }) => observation.observedAt.getTime());
    expect(asked.filter((each) => each === contract)).toHaveLength(at.length);
    const pauses = at.slice(1).map((ms, n) => ms - (at[n] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(everyMs);
  }
});

it('a signal that a producer makes final while the market is asked is dropped', async () => {
  const release = fixture().market.hold();
  const { id } = await fixture().follow({ token });
  const { id: other } = await fixture().follow({ token });
  await using _poller = fixture().startPoller();
  await eventually(() =>
    expect(fixture().market.requests.flatMap(({ contracts }) => contracts)).toHaveLength(2),
  );
  await fixture().patch(id, { status: 'dead' });
  // As the consumer of events does.
  await fixture().tracked.updateOne(
    { _id: id },
    { $set: { rev: 2, status: 'dead' }, $unset: { due_at: '', lease: '', state: '', pending: '' } },
  );
  release();
  await sentTo([other]);
  expect(fixture().sent.map((each) => each.id)).toEqual([other]);
  expect(await fixture().trackedOf(id)).not.toHaveProperty('due_at');
});

it('a status that the service does not take, because a producer was first, is dropped, and the figures are not', async () => {
  const { id } = await fixture().follow({ token });
  await fixture().patch(id, { status: 'winner' });
  const registry = new Registry();
  await using _poller = fixture().startPoller({ applyRules: decideDead, registry });
  await eventually(async () => {
    const { lease, pending, due_at } = await fixture().trackedOf(id);
    expect([lease, pending, due_at && due_at > new Date()]).toEqual([undefined, undefined, true]);
  });
  expect((await fixture().signal(id)).signal).toMatchObject({
    metrics: { mcap_current: 2_000 },
    performance: { status: 'winner' },
  });
  const metrics = await registry.metrics();
  expect(metrics).toContain('sigcast_tracker_observations_total{result="conflict"} 1');
  expect(metrics).toContain('sigcast_tracker_decisions_total{status="dead"} 0');
});

it('a status counts though a producer observed the signal later, and the older figures do not', async () => {
  const { id } = await fixture().follow({ token });
  const beforeSend = () => fixture().patch(id, { metrics: { mcap_current: 5_000 } });
  await using _poller = fixture().startPoller({ applyRules: decideDead, beforeSend });
  await sentTo([id]);
  expect(await fixture().signal(id)).toMatchObject({
    rev: 3,
    signal: { metrics: { mcap_current: 5_000 }, performance: { status: 'dead' } },
  });
});

it('a status that is decided while the market knows no token is sent without figures', async () => {
  const { id, contract } = await fixture().follow({ token });
  fixture().market.tokens.delete(contract);
  const registry = new Registry();
  await using _poller = fixture().startPoller({ applyRules: decideDead, registry });
  await eventually(async () => expect(await fixture().trackedOf(id)).not.toHaveProperty('pending'));
  await eventually(async () =>
    expect(await fixture().signal(id)).toMatchObject({ rev: 2, signal: { performance: { status: 'dead' } } }),
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
    await using service = await serviceWithout(fixture().signalsUrl, { status, code });
    const { id } = await fixture().follow({ token });
    const registry = new Registry();
    await using _poller = fixture().startPoller({
      applyRules: decideDead,
      signalsUrl: service.url,
      registry,
    });
    await eventually(async () => {
      const { pending, lease, due_at } = await fixture().trackedOf(id);
      expect([lease, due_at && due_at > new Date(Date.now() + 50_000)]).toEqual([undefined, true]);
      expect(pending).toMatchObject({ status: 'dead' });
    });
    expect(await fixture().signal(id)).toMatchObject({
      rev: 2,
      signal: { performance: { status: 'active' } },
    });
    expect(await registry.metrics()).toContain('sigcast_tracker_decisions_total{status="dead"} 0');
    service.replace();
    await fixture().tracked.updateOne({ _id: id }, { $set: { due_at: new Date() } });
    await eventually(async () => expect(await fixture().trackedOf(id)).not.toHaveProperty('pending'));
    expect(await fixture().signal(id)).toMatchObject({ rev: 3, signal: { performance: { status: 'dead' } } });
    expect(await registry.metrics()).toContain('sigcast_tracker_decisions_total{status="dead"} 1');
    expect(fixture().market.requests).toHaveLength(1);
  },
);

it('an observation that the signals service refuses as one of the future is kept, and the poller says so', async () => {
  const { id } = await fixture().follow({ token });
  const observed_at = new Date(Date.now() + 600_000);
  const pending = { observed_at, metrics: { mcap: 3_000, liquidity: 800, volume_24h: 1 } };
  await fixture().tracked.updateOne({ _id: id }, { $set: { pending } });
  const warnings: unknown[] = [];
  const log = Object.assign(silentLogger(), { warn: (...said: unknown[]) => void warnings.push(said) });
  await using _poller = fixture().startPoller({ log });
  await eventually(async () => {
    const { lease, due_at } = await fixture().trackedOf(id);
    expect([lease, due_at && due_at > new Date(Date.now() + 50_000)]).toEqual([undefined, true]);
  });
  expect(await fixture().trackedOf(id)).toMatchObject({ pending });
  await eventually(() => expect(JSON.stringify(warnings)).toContain('polling pauses'));
});

it('figures that the signals service does not take yet wait, however often the schedule asks', async () => {
  await using service = await serviceWithout(fixture().signalsUrl, {
    status: 200,
    code: 'SERVICE_UNAVAILABLE',
  });
  const { id } = await fixture().follow({ token });
  await using _poller = fixture().startPoller({ signalsUrl: service.url, schedule: askEvery(250) });
  await eventually(async () => {
    const { pending, lease, due_at } = await fixture().trackedOf(id);
    expect([lease, due_at && due_at > new Date(Date.now() + 50_000)]).toEqual([undefined, true]);
    expect(pending).toBeDefined();
  });
});

it('a token that the market does not know any more is an observation without a market, and its signal stays as it is', async () => {
  const { id, contract } = await fixture().follow({ token });
  const observed: MarketObservation[] = [];
  const applyRules: ApplyRules = (_followed, _state, observation) => {
    observed.push(observation);
    return { state: { seen: observed.length } };
  };
  fixture().market.tokens.delete(contract);
  await using _poller = fixture().startPoller({ applyRules });
  await eventually(async () => {
    const { state, lease, due_at } = await fixture().trackedOf(id);
    expect([state, lease, due_at && due_at > new Date()]).toEqual([{ seen: 1 }, undefined, true]);
  });
  expect(observed).toMatchObject([{ kind: 'absent' }]);
  expect(fixture().sent).toEqual([]);
  expect((await fixture().signal(id)).rev).toBe(1);
});

it('a signal past the last age of the schedule is not followed any more, and its market is not asked', async () => {
  const { id } = await fixture().follow({ token, created_at: new Date(Date.now() - 7_200_000) });
  await using _poller = fixture().startPoller({ schedule: askEvery(60_000) });
  await eventually(async () => expect(await fixture().trackedOf(id)).not.toHaveProperty('due_at'));
  expect(fixture().market.requests).toEqual([]);
});

it('a signal that does not exist is not followed any more, and one whose figures are refused is asked about again by the schedule', async () => {
  const { id } = await fixture().follow({ token });
  const { id: huge } = await fixture().follow({ token: { mcap: Number.MAX_SAFE_INTEGER, liquidity: 1 } });
  const missing = 'sig_00000000000000000000000000';
  await fixture().tracked.insertOne({ ...(await fixture().trackedOf(id)), _id: missing, due_at: new Date() });
  await using _poller = fixture().startPoller();
  await eventually(async () => {
    expect(await fixture().trackedOf(missing)).not.toHaveProperty('due_at');
    for (const each of [id, huge]) {
      const { lease, pending, due_at } = await fixture().trackedOf(each);
      expect([lease, pending, due_at && due_at > new Date()]).toEqual([undefined, undefined, true]);
    }
  });
  expect((await fixture().signal(id)).signal.metrics.mcap_current).toBe(2_000);
  expect((await fixture().signal(huge)).rev).toBe(1);
});

it('a poller that stops gives its signals back, due as before', async () => {
  const release = fixture().market.hold();
  const dueAt = new Date(Date.now() - 5_000);
  const { id } = await fixture().follow({ token, due_at: dueAt });
  {
    await using _poller = fixture().startPoller();
    await eventually(() => expect(fixture().market.requests).toHaveLength(1));
    expect((await fixture().trackedOf(id)).lease).toBeDefined();
  }
  const { lease, due_at } = await fixture().trackedOf(id);
  expect([lease, due_at]).toEqual([undefined, dueAt]);
  release();
});

it('metrics show requests, observations, decisions, staleness and what is due', async () => {
  const registry = new Registry();
  const { id } = await fixture().follow({ token, due_at: new Date(Date.now() - 12_000) });
  const applyRules: ApplyRules = (_followed, _state, { observedAt }) => ({
    state: {},
    decision: { status: 'rugged', rule: 'v1', observations: [observedAt] },
  });
  await using _poller = fixture().startPoller({ registry, applyRules });
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
