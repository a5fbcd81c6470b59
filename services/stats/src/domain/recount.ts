import { type Period, periods, type SignalType, signalTypes } from '@sigcast/contracts';
import { periodStart, type Totals, withSignal } from '@sigcast/statistics';
import type { SignalFact } from './fact.ts';
import type { StatisticsStore } from './ports.ts';
import { noPositions, type PositionFigures, positionFiguresOf, withPosition } from './position-figures.ts';

/** Totals of one type over one period, with the figures of positions. */
export type Figures = {
  readonly period: Period;
  readonly type: SignalType;
  readonly totals: Totals & PositionFigures;
};

const none: Totals = { total: 0, winners: 0, roiSum: 0n, roiMax: 0 };

/** Counts the figures of every type and period as of one instant, signal by signal. */
export function startRecount(asOf: Date) {
  const spans = periods.map((period) => ({
    after: periodStart(period, asOf),
    totals: new Map<SignalType, Totals & PositionFigures>(),
  }));
  return {
    add: (fact: SignalFact): void => {
      const { type, realizable, createdAt } = fact;
      if (createdAt > asOf) return;
      for (const { after, totals } of spans) {
        if (after !== undefined && createdAt <= after) continue;
        const known = totals.get(type);
        totals.set(type, {
          ...withPosition(known ?? noPositions, realizable),
          ...withSignal(known, fact),
        });
      }
    },
    figures: (): Figures[] =>
      eachFigures((period, type) => {
        const span = spans[periods.indexOf(period)];
        return span?.totals.get(type) ?? { ...none, ...noPositions };
      }),
  };
}

/** The same figures as the service would serve them for that instant. */
export async function servedFigures(store: StatisticsStore, asOf: Date): Promise<Figures[]> {
  const all = await Promise.all(
    periods.map((period) =>
      store.totals(() => ({ after: periodStart(period, asOf), until: asOf }), ['realizable']),
    ),
  );
  return eachFigures((period, type) => {
    const span = all[periods.indexOf(period)];
    return { ...(span?.totals.get(type) ?? none), ...positionFiguresOf(span?.realizable?.get(type)) };
  });
}

function eachFigures(totalsOf: (period: Period, type: SignalType) => Figures['totals']): Figures[] {
  return periods.flatMap((period) =>
    signalTypes.map((type) => ({ period, type, totals: totalsOf(period, type) })),
  );
}
