import { type Period, periods, type SignalType, signalTypes } from '@sigcast/contracts';
import { periodStart, type Totals, withSignal } from '@sigcast/statistics';
import type { SignalFact } from './fact.ts';
import type { StatisticsStore } from './ports.ts';

/** Totals of one type over one period. */
export type Figures = { readonly period: Period; readonly type: SignalType; readonly totals: Totals };

const none: Totals = { total: 0, winners: 0, roiSum: 0n, roiMax: 0 };

/** Totals for every type and period at one instant, by adding signals one by one. */
export function startRecount(asOf: Date) {
  const spans = periods.map((period) => ({
    after: periodStart(period, asOf),
    totals: new Map<SignalType, Totals>(),
  }));
  return {
    add: (fact: SignalFact): void => {
      const { type, createdAt } = fact;
      if (createdAt > asOf) return;
      for (const { after, totals } of spans) {
        if (after !== undefined && createdAt <= after) continue;
        totals.set(type, withSignal(totals.get(type), fact));
      }
    },
    figures: (): Figures[] => periods.flatMap((period, index) => figuresOf(period, spans[index]?.totals)),
  };
}

/** The same figures as the service would serve them for that instant. */
export async function servedFigures(store: StatisticsStore, asOf: Date): Promise<Figures[]> {
  const all = await Promise.all(
    periods.map(async (period) => {
      const { totals } = await store.totals(() => ({ from: periodStart(period, asOf), to: asOf }));
      return figuresOf(period, totals);
    }),
  );
  return all.flat();
}

function figuresOf(period: Period, totals: ReadonlyMap<SignalType, Totals> | undefined): Figures[] {
  return signalTypes.map((type) => ({ period, type, totals: totals?.get(type) ?? none }));
}
