import { isDeepStrictEqual } from 'node:util';
import { defaultThresholds, rulesV1 } from '@sigcast/outcomes';
import { modelRuns } from '@sigcast/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type History, historiesOf, type Kind, kinds } from './histories.ts';
import { label } from './label.ts';
import { decisions } from './samples.ts';

const applyRules = rulesV1(defaultThresholds);
const sample = { seed: 20_260_301, numRuns: 60 };
const histories = kinds.flatMap((kind) => fc.sample(historiesOf(kind), sample));
const statuses = ({ observations, signal }: History) =>
  decisions(observations, signal).map(({ status }) => status);

describe('the rules', () => {
  it.each<readonly [Kind, string, number]>([
    ['quiet', '', 50],
    ['winner', 'winner', 50],
    ['winner that is rugged', 'winner rugged', 40],
    ['rug', 'rugged', 40],
    ['slow death', 'dead', 50],
    ['silent death', 'dead', 40],
    ['disappearance', 'dead', 40],
    ['recovery', '', 50],
    ['spike', '', 50],
    ['gaps', 'rugged', 10],
    ['gaps', 'winner rugged', 10],
    ['noise', 'winner', 3],
    ['noise', 'winner rugged', 3],
    ['noise', 'dead', 3],
    ['noise', 'rugged', 3],
  ])('are tried on histories of the kind %s that end as "%s": %d of 60 at least', (kind, end, least) => {
    const found = histories.filter((history) => history.kind === kind).map(statuses);
    expect(found.filter((made) => made.join(' ') === end).length).toBeGreaterThanOrEqual(least);
  });

  it('are tried on both ways to die, on rugs with and without a high, and on gaps and absences', () => {
    const made = histories.flatMap(({ observations, signal }) => decisions(observations, signal));
    const hours = ({ observations: [first, ...others] }: (typeof made)[number]) =>
      (Number(others.at(-1)) - Number(first)) / 3_600_000;
    const dead = made.filter(({ status }) => status === 'dead');
    expect(dead.filter((each) => hours(each) >= 72).length).toBeGreaterThan(50);
    expect(dead.filter((each) => hours(each) < 72).length).toBeGreaterThan(50);
    const rugs = made.filter(({ status }) => status === 'rugged');
    for (const size of [2, 3]) {
      expect(rugs.filter(({ observations }) => observations.length === size).length).toBeGreaterThan(0);
    }
    const isAbsent = ({ observations }: History) => observations.some(({ kind }) => kind === 'absent');
    expect(histories.filter(isAbsent).length).toBeGreaterThan(100);
  });
});

const anyHistory = fc.constantFrom(...kinds).chain(historiesOf);
const anyThresholds = fc.record({
  winner: fc.record({
    multiple: fc.constantFrom(1.5, 2, 3),
    sustained_minutes: fc.constantFrom(1, 10, 60),
    min_liquidity_usd: fc.constantFrom(0, 1_000, 20_000),
  }),
  rugged: fc.record({
    remaining_share: fc.constantFrom(0.05, 0.1, 0.5),
    window_minutes: fc.constantFrom(5, 60, 600),
    min_liquidity_usd: fc.constantFrom(0, 100, 2_000),
    confirmations: fc.integer({ min: 1, max: 4 }),
  }),
  dead: fc.record({
    share: fc.constantFrom(0.1, 0.3),
    confirmations: fc.integer({ min: 1, max: 4 }),
    silent_hours: fc.constantFrom(1, 72),
  }),
});

describe('any history', () => {
  it('is decided as a second implementation decides that sees it all at once: status, time and evidence, whatever the thresholds', () => {
    const thresholds = fc.oneof(fc.constant(defaultThresholds), anyThresholds);
    fc.assert(
      fc.property(anyHistory, thresholds, ({ observations, signal }, limits) => {
        expect(decisions(observations, signal, limits)).toEqual(label(observations, signal, limits));
      }),
      modelRuns(800),
    );
  });

  it('is decided the same when the state is stored as JSON after every observation, and leaves no undefined member in it', () => {
    fc.assert(
      fc.property(anyHistory, ({ observations, signal }) => {
        let stored: unknown;
        let kept: unknown;
        for (const observation of observations) {
          const restarted = applyRules(signal, stored, observation);
          const running = applyRules(signal, kept, observation);
          stored = JSON.parse(JSON.stringify(restarted.state));
          kept = running.state;
          expect(isDeepStrictEqual([stored, restarted.decision], [kept, running.decision])).toBe(true);
        }
      }),
      modelRuns(600),
    );
  });

  it('is decided by the order in which observations were made: those that come late or again change nothing', () => {
    fc.assert(
      fc.property(anyHistory, ({ observations, signal }) => {
        const newer = observations.filter(
          ({ observedAt }, n) => !observations.slice(0, n).some((each) => each.observedAt >= observedAt),
        );
        const twice = observations.flatMap((each) => [each, each]);
        expect(decisions(twice, signal)).toEqual(decisions(newer, signal));
      }),
    );
  });

  it('rests on at most ten observations of the history, oldest first, the last one that at which it was decided', () => {
    fc.assert(
      fc.property(anyHistory, ({ observations, signal }) => {
        const instants = new Set(observations.map(({ observedAt }) => observedAt.getTime()));
        for (const made of decisions(observations, signal)) {
          const basis = made.observations.map((each) => each.getTime());
          expect(basis.length).toBeLessThanOrEqual(10);
          expect(basis.every((each) => instants.has(each))).toBe(true);
          expect(basis).toEqual([...new Set(basis)].sort((one, other) => one - other));
          expect(basis.at(-1)).toBe(made.decidedAt.getTime());
        }
      }),
    );
  });

  it('is remembered in a bounded state', () => {
    let state: unknown;
    for (let n = 0; n < 2_000; n++) {
      const observedAt = new Date(Date.UTC(2026, 2, 2) + n * 1_000);
      const observation = {
        kind: 'market',
        observedAt,
        mcap: 1e5,
        liquidity: 1e6 - n,
        volume24h: 1,
      } as const;
      const signal = {
        mcapEntry: 1e5,
        liquidityEntry: 1e6,
        createdAt: new Date(0),
        status: 'active',
      } as const;
      state = applyRules(signal, state, observation).state;
    }
    expect(JSON.stringify(state).length).toBeLessThan(8_000);
  });
});
