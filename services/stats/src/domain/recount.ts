import { type Period, periods, type SignalType, signalTypes } from '@sigcast/contracts';
import type { SignalFact } from './fact.ts';
import type { StatisticsStore, Totals } from './ports.ts';
import { periodStart } from './statistics.ts';

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
    add: ({ type, status, roi, createdAt }: SignalFact): void => {
      if (createdAt > asOf) return;
      for (const { after, totals } of spans) {
        if (after !== undefined && createdAt <= after) continue;
        const { total, winners, roiSum, roiMax } = totals.get(type) ?? { ...none, roiMax: roi };
        totals.set(type, {
          total: total + 1,
          winners: winners + (status === 'winner' ? 1 : 0),
          roiSum: roiSum + BigInt(roi),
          roiMax: Math.max(roiMax, roi),
        });
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
