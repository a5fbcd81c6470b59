import { modelRuns } from '@sigcast/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bought, sold } from '../../src/domain/position/costs.ts';
import {
  followPosition,
  type Position,
  type realizableOf,
  termsOfV1,
} from '../../src/domain/position/exit-rule.ts';
import { type History, historiesOf, kinds } from '../rules/histories.ts';
import { absent, market } from '../rules/samples.ts';
import { labelPosition } from './label.ts';
import { type Lived, live, type Step, stretched } from './samples.ts';

/** What the second implementation says of the part of a history that was observed up to an instant. */
function labelled({ history, overAt }: Lived, { signal }: History, untilMs: number) {
  const known = history.filter(({ observedAt }) => observedAt.getTime() <= untilMs);
  return labelPosition(known, signal, overAt && overAt.getTime() <= untilMs ? overAt : undefined);
}

/** Equal to what is labelled, whose result is not rounded. */
function expectAgreement(made: ReturnType<typeof realizableOf>, expected: ReturnType<typeof labelPosition>) {
  if (made === undefined || expected === undefined) {
    expect(made).toEqual(expected);
    return;
  }
  expect({ ...made, roi: 0 }).toEqual({ ...expected, roi: 0 });
  expect(Math.abs(made.roi - expected.roi)).toBeLessThan(0.005 + 1e-6);
}

const anyHistory = fc
  .tuple(fc.constantFrom(...kinds).chain(historiesOf), fc.constantFrom(1, 4, 20))
  .map(([history, times]) => stretched(history, times));

it('the exit rule is tried on positions of each end, on open ones and on signals without one', () => {
  const lives = fc.sample(anyHistory, { seed: 20_260_301, numRuns: 300 }).map(live);
  const ends = lives.map(({ steps, overAt }) => {
    const realizable = steps.at(-1)?.realizable;
    if (realizable === undefined) return 'none';
    return realizable.exit === 'end' && overAt === undefined ? 'time' : (realizable.exit ?? 'open');
  });
  for (const end of ['target', 'stop', 'end', 'time', 'open'])
    expect([end, ends.filter((each) => each === end).length >= 5]).toEqual([end, true]);
});

describe('any history', () => {
  it('has the result that a second implementation gives that sees it all at once: entry, exit and return', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const lived = live(history);
        expectAgreement(lived.steps.at(-1)?.realizable, labelled(lived, history, Number.POSITIVE_INFINITY));
      }),
      modelRuns(1_200),
    );
  });

  it('has the same result when the position is stored as JSON after every observation, and leaves no undefined member in it', () => {
    fc.assert(
      fc.property(anyHistory, ({ observations, signal }) => {
        let stored: unknown;
        let kept: Position | undefined;
        for (const observation of observations) {
          const made = { observation, isOver: false };
          stored = JSON.parse(JSON.stringify(followPosition(signal, stored, made)));
          kept = followPosition(signal, kept, made);
        }
        expect(stored).toStrictEqual(kept);
      }),
      modelRuns(1_200),
    );
  });

  it('gives the same result up to an instant, whatever is observed later: the rule does not look ahead', () => {
    fc.assert(
      fc.property(anyHistory, fc.double({ min: 0, max: 1, noNaN: true }), (history, share) => {
        const lived = live(history);
        const cut = lived.steps[Math.floor(share * (lived.steps.length - 1))];
        const untilMs = cut?.observation.observedAt.getTime() ?? 0;
        // An observation that comes late is made before the instant, and known after it.
        const isKnown = ({ observation, position }: Step) =>
          Math.max(observation.observedAt.getTime(), position.newest) <= untilMs;
        const early = live({
          ...history,
          observations: lived.history.filter(({ observedAt }) => observedAt.getTime() <= untilMs),
        });
        expect(early.steps.at(-1)?.realizable).toEqual(lived.steps.findLast(isKnown)?.realizable);
        expectAgreement(early.steps.at(-1)?.realizable, labelled(lived, history, untilMs));
      }),
      modelRuns(1_200),
    );
  });

  it('is not changed by observations that are not newer, whatever they say', () => {
    const late = fc.record({
      back: fc.integer({ min: 0, max: 1_000 }),
      mcap: fc.double({ min: 0, max: 1e9, noNaN: true }),
      isAbsent: fc.boolean(),
      isOver: fc.boolean(),
    });
    fc.assert(
      fc.property(anyHistory, late, (history, { back, mcap, isAbsent, isOver }) => {
        for (const { position } of live(history).steps) {
          const minutes = (position.newest - history.signal.createdAt.getTime()) / 60_000 - back;
          const observation = isAbsent ? absent(minutes) : market(minutes, { mcap, liquidity: mcap });
          expect(followPosition(history.signal, position, { observation, isOver })).toBe(position);
        }
      }),
    );
  });

  it('changes nothing after the exit, whatever is observed', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const { steps } = live(history);
        const exit = steps.findIndex(({ realizable }) => (realizable?.exit ?? null) !== null);
        if (exit === -1) return;
        for (const { position } of steps.slice(exit)) expect(position).toBe(steps[exit]?.position);
        const end = steps[exit]?.position;
        for (const multiple of [0, 0.4, 1, 3])
          for (const isOver of [false, true])
            expect(
              followPosition(history.signal, end, {
                observation: market(1e6, { mcap: multiple * 1e5 }),
                isOver,
              }),
            ).toBe(end);
      }),
    );
  });

  it('gives no better a result with costs than without, and a worse one wherever anything is left', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const lived = live(history);
        const { realizable, position } = lived.steps.at(-1) ?? {};
        if (realizable === undefined || position === undefined) return;
        const figures = (at: Date) =>
          lived.history.find((each) => each.kind === 'market' && each.observedAt.getTime() === at.getTime());
        const entry = figures(new Date(realizable.entered_at));
        const exit = figures(new Date(realizable.exited_at ?? position.newest));
        if (entry?.kind !== 'market' || exit?.kind !== 'market') throw new Error('not observed');
        const gross = (exit.mcap / entry.mcap - 1) * 100;
        expect(realizable.roi).toBeLessThanOrEqual(gross + 0.005);
        if (gross > -99) expect(realizable.roi).toBeLessThan(gross);
      }),
    );
  });
});

describe('costs', () => {
  const usd = fc.double({ min: 1e-6, max: Number.MAX_SAFE_INTEGER, noNaN: true });
  /** Not more, but for the last digits of the numbers. */
  const expectAtMost = (one: number, other: number) => expect(one).toBeLessThanOrEqual(other * (1 + 1e-12));

  it('never give more than was put in, and never less where there is more liquidity', () => {
    fc.assert(
      fc.property(usd, usd, usd, (worth, one, other) => {
        const [thin, deep] = one < other ? [one, other] : [other, one];
        expectAtMost(bought(termsOfV1, thin), bought(termsOfV1, deep));
        expectAtMost(bought(termsOfV1, deep), 0.99 * termsOfV1.sizeUsd);
        expectAtMost(sold(termsOfV1, worth, thin), sold(termsOfV1, worth, deep));
        expectAtMost(sold(termsOfV1, worth, deep), 0.99 * worth);
        expectAtMost(sold(termsOfV1, worth, deep), deep / 2);
      }),
    );
  });
});
