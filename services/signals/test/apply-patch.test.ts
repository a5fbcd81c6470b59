import {
  type ChangeSource,
  type SignalStatus,
  signalEventSchema,
  signalPatchSchema,
  signalStatuses,
} from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { applyPatch } from '../src/domain/apply-patch.ts';
import { type Signal, toDetail, toOutcome } from '../src/domain/signal.ts';
import { sampleSignal } from './samples.ts';

const createdAt = new Date('2026-03-01T12:00:00.000Z');
const at = (minutes: number) => new Date(createdAt.getTime() + minutes * 60_000);
const created = sampleSignal(createdAt);
const newEventId = () => 'evt_01J9ZQ6W8T3M5N7P9R1S3V5X7Z';

const apply = (signal: Signal, patch: unknown, now: Date, source: ChangeSource = 'producer') =>
  applyPatch(signal, signalPatchSchema.parse(patch), { now, source, newEventId });

const changed = (signal: Signal, patch: unknown, now: Date, source?: ChangeSource) => {
  const outcome = apply(signal, patch, now, source);
  if (outcome.kind !== 'changed') throw new Error(`expected a change, got ${JSON.stringify(outcome)}`);
  return outcome;
};

describe('observations', () => {
  it('an observation updates the metrics that it names, raises the revision and makes an event', () => {
    const { signal, event } = changed(created, { metrics: { mcap_current: 150_000, holders: 400 } }, at(90));
    expect(toDetail(signal)).toMatchObject({
      metrics: { mcap_entry: 100_000, mcap_current: 150_000, holders: 400, liquidity: 20_000 },
      performance: { roi: 50, ath_roi: 50, time_to_ath_hours: 1.5, status: 'active' },
      updated_at: at(90).toISOString(),
    });
    expect(event).toMatchObject({ type: 'signal.updated', rev: 2, data: toDetail(signal) });
  });

  it('an observation keeps the highest market cap and its time when the market falls', () => {
    const high = changed(created, { metrics: { mcap_current: 150_000 } }, at(60)).signal;
    const low = changed(high, { metrics: { mcap_current: 30_000 } }, at(120)).signal;
    expect(toDetail(low)).toMatchObject({
      metrics: { mcap_current: 30_000, mcap_ath: 150_000 },
      performance: { roi: -70, ath_roi: 50, time_to_ath_hours: 1 },
    });
  });

  it('an observation that only reaches the highest market cap again keeps its first time', () => {
    const high = changed(created, { metrics: { mcap_current: 150_000 } }, at(60)).signal;
    const again = changed(high, { metrics: { mcap_current: 150_000 } }, at(120)).signal;
    expect(toDetail(again).performance.time_to_ath_hours).toBe(1);
  });

  it('an observation is ignored when a newer one was applied', () => {
    const newer = changed(created, { metrics: { mcap_current: 150_000 } }, at(60)).signal;
    const late = { metrics: { mcap_current: 999_000 }, status: 'winner', observed_at: at(59).toISOString() };
    expect(apply(newer, late, at(61))).toEqual({ kind: 'unchanged', signal: newer });
  });

  it('an observation from before the signal is ignored', () => {
    const early = { metrics: { mcap_current: 999_000 }, observed_at: at(-1).toISOString() };
    expect(apply(created, early, at(1)).kind).toBe('unchanged');
  });

  it('an observation is dated by its own time, not by its arrival', () => {
    const observed = { metrics: { mcap_current: 150_000 }, observed_at: at(30).toISOString() };
    expect(toDetail(changed(created, observed, at(600)).signal).performance.time_to_ath_hours).toBe(0.5);
  });

  it('an observation from the future is refused, and counts as now from a clock a little ahead', () => {
    const observed = (minutes: number) => ({
      metrics: { holders: 1 },
      observed_at: at(minutes).toISOString(),
    });
    expect(apply(created, observed(3), at(1))).toMatchObject({
      kind: 'rejected',
      details: [{ field: 'observed_at' }],
    });
    expect(changed(created, observed(2), at(1)).signal.observedAt).toEqual(at(1));
  });

  it('an observation without a time is the newest one, even where this clock was set back', () => {
    const newer = changed(created, { metrics: { holders: 1 } }, at(10)).signal;
    const { signal } = changed(newer, { metrics: { holders: 2 } }, at(9));
    expect(signal.metrics.holders).toBe(2);
    expect(signal.updatedAt).toEqual(at(10));
  });

  it('an observation is refused where the gain could not be computed exactly', () => {
    const tiny = sampleSignal(createdAt, { mcap_entry: 1e-300 });
    expect(apply(tiny, { metrics: { mcap_current: 1 } }, at(1))).toMatchObject({
      kind: 'rejected',
      details: [{ field: 'metrics.mcap_current' }],
    });
  });
});

describe('the newest observation of a signal', () => {
  const observation = {
    metrics: { mcap_current: 150_000 },
    status: 'winner',
    observed_at: at(30).toISOString(),
  };
  const { signal: applied } = changed(created, observation, at(31));

  it('an observation that is sent again changes nothing, also when its clock is ahead and it counts as now', () => {
    expect(apply(applied, observation, at(40))).toEqual({ kind: 'unchanged', signal: applied });
    const ahead = { metrics: { holders: 1 }, observed_at: at(10.5).toISOString() };
    const { signal } = changed(created, ahead, at(10));
    expect(apply(signal, ahead, at(10)).kind).toBe('unchanged');
  });

  it('an observation that is sent again is no conflict when the status has changed since', () => {
    const { signal: rugged } = changed(applied, { status: 'rugged' }, at(50));
    expect(apply(rugged, observation, at(60))).toEqual({ kind: 'unchanged', signal: rugged });
  });

  it('an observation of the same instant with other figures is applied', () => {
    const other = { ...observation, metrics: { mcap_current: 160_000 } };
    expect(changed(applied, other, at(40)).signal).toMatchObject({
      rev: 3,
      metrics: { mcap_current: 160_000 },
    });
  });
});

describe('changes of status', () => {
  const allowed = new Set(['active>winner', 'active>dead', 'active>rugged', 'winner>rugged']);
  const pairs = signalStatuses.flatMap((from) => signalStatuses.map((to) => [from, to] as const));

  it.each(pairs)(
    'a change of status from %s to %s follows the rules',
    (from: SignalStatus, to: SignalStatus) => {
      const outcome = apply({ ...created, status: from }, { status: to }, at(1));
      if (from === to) expect(outcome.kind).toBe('unchanged');
      else if (!allowed.has(`${from}>${to}`)) expect(outcome).toEqual({ kind: 'conflict', from, to });
      else {
        expect(outcome).toMatchObject({
          kind: 'changed',
          signal: { status: to, rev: 2 },
          event: { type: `signal.${to}`, rev: 2, data: { performance: { status: to } } },
        });
      }
    },
  );

  it('a status and metrics together are one change with the event of the status', () => {
    const { signal, event } = changed(
      created,
      { status: 'winner', metrics: { mcap_current: 300_000 } },
      at(60),
    );
    expect(event).toMatchObject({ type: 'signal.winner', rev: 2 });
    expect(event.data).toEqual(toDetail(signal));
    expect(event.data.metrics.mcap_current).toBe(300_000);
  });

  it('an illegal status keeps the metrics beside it out as well', () => {
    const dead = { ...created, status: 'dead' } as const;
    expect(apply(dead, { status: 'winner', metrics: { holders: 1 } }, at(1)).kind).toBe('conflict');
  });

  it('a repeated status beside new metrics is an ordinary update', () => {
    const { event } = changed(created, { status: 'active', metrics: { holders: 1 } }, at(1));
    expect(event.type).toBe('signal.updated');
  });

  it('a status alone leaves the order of observations as it was', () => {
    const winner = changed(created, { status: 'winner' }, at(60)).signal;
    const observed = { metrics: { mcap_current: 150_000 }, observed_at: at(30).toISOString() };
    expect(changed(winner, observed, at(61)).signal.metrics.mcap_current).toBe(150_000);
  });

  it('a status with a time is an observation of that time: earlier ones that come later are ignored', () => {
    const winner = changed(created, { status: 'winner', observed_at: at(60).toISOString() }, at(61)).signal;
    const late = { metrics: { mcap_current: 150_000 }, observed_at: at(59).toISOString() };
    expect(apply(winner, late, at(62)).kind).toBe('unchanged');
  });
});

describe('what the exit rule says', () => {
  const result = (roi: number, more: object = {}) => ({
    rule: 'v1',
    roi,
    entered_at: at(2).toISOString(),
    exited_at: null,
    exit: null,
    ...more,
  });
  const sold = result(98.5, { exited_at: at(20).toISOString(), exit: 'target' });
  const observed = (minutes: number, realizable?: object, mcap_current = 1_000 * minutes) => ({
    metrics: { mcap_current },
    observed_at: at(minutes).toISOString(),
    ...(realizable && { realizable }),
  });
  const { signal: open } = changed(created, observed(10, result(5)), at(10), 'tracker');

  it('a signal keeps the newest result, and each of its events carries it', () => {
    expect(open.realizable).toEqual(result(5));
    const newer = changed(open, observed(11, result(-7)), at(11), 'tracker');
    expect(newer.signal.realizable).toEqual(result(-7));
    expect(signalEventSchema.parse(newer.event).realizable).toEqual(result(-7));
    const byOther = changed(newer.signal, { status: 'winner' }, at(12));
    expect(byOther.event).toMatchObject({ type: 'signal.winner', realizable: result(-7) });
    expect(changed(created, { status: 'winner' }, at(12)).event).not.toHaveProperty('realizable');
  });

  it('instants of a result are kept in UTC', () => {
    const zoned = result(5, { entered_at: '2026-03-01T13:02:00+01:00' });
    expect(changed(created, observed(10, zoned), at(10), 'tracker').signal.realizable).toEqual(result(5));
  });

  it('an older observation, or the same one again, changes no result', () => {
    expect(apply(open, observed(9, result(50)), at(11), 'tracker').kind).toBe('unchanged');
    expect(apply(open, observed(10, result(5)), at(11), 'tracker').kind).toBe('unchanged');
  });

  it('the newest observation brings its result also where its figures were applied without it', () => {
    const { signal: before } = changed(created, observed(10), at(10), 'tracker');
    const { signal, event } = changed(before, observed(10, result(5)), at(11), 'tracker');
    expect(event).toMatchObject({ type: 'signal.updated', realizable: result(5) });
    expect(apply(signal, observed(10, result(5)), at(11), 'tracker').kind).toBe('unchanged');
  });

  it('after the exit no other result is taken, and the figures beside it are', () => {
    const { signal: ended } = changed(open, observed(20, sold), at(20), 'tracker');
    for (const other of [result(1), { ...sold, roi: 1 }, { ...sold, exit: 'stop' }]) {
      const { signal } = changed(ended, observed(30, other), at(30), 'tracker');
      expect([signal.realizable, signal.metrics.mcap_current]).toEqual([sold, 30_000]);
      expect(apply(ended, observed(20, other), at(30), 'tracker').kind).toBe('unchanged');
    }
  });

  it('a decision brings the exit, whatever was observed since, and once', () => {
    const { signal: later } = changed(open, { metrics: { mcap_current: 1 } }, at(30));
    const evidence = { rule: 'v1', observations: [at(20).toISOString()] };
    const decision = { status: 'dead', evidence, realizable: { ...sold, exit: 'end' } };
    const { signal, event } = changed(later, decision, at(31), 'tracker');
    expect(event).toMatchObject({ type: 'signal.dead', realizable: { exit: 'end' } });
    expect(apply(signal, decision, at(32), 'tracker').kind).toBe('unchanged');
  });

  it('a decision that a producer made first brings the exit alone', () => {
    const { signal: dead } = changed(open, { status: 'dead' }, at(30));
    const decision = { status: 'dead', realizable: { ...sold, exit: 'end' } };
    const { signal, event } = changed(dead, decision, at(31), 'tracker');
    expect(event).toMatchObject({ type: 'signal.updated', realizable: { exit: 'end' } });
    expect([signal.observedAt, signal.metrics, toOutcome(signal)]).toEqual([
      dead.observedAt,
      dead.metrics,
      toOutcome(dead),
    ]);
    expect(apply(signal, decision, at(32), 'tracker').kind).toBe('unchanged');
  });

  it('a decision that conflicts brings nothing', () => {
    const { signal: won } = changed(open, { status: 'winner' }, at(30));
    expect(apply(won, { status: 'dead', realizable: sold }, at(31), 'tracker').kind).toBe('conflict');
  });

  it('a result that a producer sends counts for nothing', () => {
    const { signal, event } = changed(open, observed(11, result(9_999)), at(11));
    expect([signal.realizable, event.realizable]).toEqual([result(5), result(5)]);
  });
});

describe('where a change comes from', () => {
  const evidence = { rule: 'v1', observations: ['2026-03-01T13:10:00+01:00', at(30).toISOString()] };
  const inUtc = { rule: 'v1', observations: [at(10).toISOString(), at(30).toISOString()] };
  const won = {
    metrics: { mcap_current: 250_000 },
    status: 'winner',
    evidence,
    observed_at: at(30).toISOString(),
  };

  it('an event says who observed and when', () => {
    const observed = { metrics: { holders: 1 }, observed_at: at(30).toISOString() };
    for (const source of ['tracker', 'producer'] as const) {
      const { event } = changed(created, observed, at(40), source);
      expect(signalEventSchema.parse(event).change).toEqual({ observed_at: at(30).toISOString(), source });
    }
    const { event } = changed(created, { metrics: { holders: 1 } }, at(40));
    expect(event.change).toEqual({ observed_at: at(40).toISOString(), source: 'producer' });
  });

  it('the event of a mere change of status says when the newest figures were observed', () => {
    const observed = changed(created, { metrics: { holders: 1 } }, at(40)).signal;
    const { event } = changed(observed, { status: 'dead' }, at(50));
    expect(event.change).toEqual({ observed_at: at(40).toISOString(), source: 'producer' });
  });

  it('a status decided by a rule carries the rule and its observations, in the event and in the outcome', () => {
    const { signal, event } = changed(created, won, at(31), 'tracker');
    expect(event).toMatchObject({ type: 'signal.winner', change: { source: 'tracker', evidence: inUtc } });
    expect(toOutcome(signal)).toEqual({
      status: 'winner',
      decided_by: 'rule',
      rule: 'v1',
      decided_at: at(31).toISOString(),
      observations: inUtc.observations,
    });
    const later = changed(signal, { metrics: { holders: 3 } }, at(60), 'tracker');
    expect(later.event.change).not.toHaveProperty('evidence');
    expect(toOutcome(later.signal)).toEqual(toOutcome(signal));
  });

  it.each([{ evidence }, {}])("a producer's word is marked as such, with %j too", (claimed) => {
    const { evidence: _evidence, ...bare } = won;
    const { signal, event } = changed(created, { ...bare, ...claimed }, at(31));
    expect(event.change).toEqual({ observed_at: expect.any(String), source: 'producer' });
    expect(toOutcome(signal)).toEqual({
      status: 'winner',
      decided_by: 'producer',
      rule: null,
      decided_at: at(31).toISOString(),
      observations: [],
    });
  });

  it('the outcome is of the last change of status, whoever decided the one before', () => {
    const { signal } = changed(created, won, at(31), 'tracker');
    const rugged = changed(signal, { status: 'rugged' }, at(90)).signal;
    expect(toOutcome(rugged)).toMatchObject({ status: 'rugged', decided_by: 'producer', observations: [] });
  });

  it('an active signal has no outcome', () => {
    expect(toOutcome(created)).toBeNull();
  });

  it('evidence for a status that the signal has already changes nothing', () => {
    const { signal } = changed(created, { status: 'winner' }, at(20));
    const { event, signal: observed } = changed(signal, won, at(31), 'tracker');
    expect(event.type).toBe('signal.updated');
    expect(event.change).toEqual({ observed_at: at(30).toISOString(), source: 'tracker' });
    expect(toOutcome(observed)).toEqual(toOutcome(signal));
  });
});
