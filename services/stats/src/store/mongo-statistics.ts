import type { SignalType } from '@sigcast/contracts';
import type { Rollups, TallyEntry } from '@sigcast/rollups';
import type { StatisticsStore, Totals } from '../domain/ports.ts';

/** Totals from the rollups of the facts. */
export function rollupStatistics(rollups: Pick<Rollups, 'read'>): StatisticsStore {
  return {
    totals: async ({ type, from, to }) => {
      const entries = await rollups.read({ after: from, until: to });
      const totals = new Map<SignalType, Totals>();
      for (const entry of entries) {
        if (type !== undefined && entry.type !== type) continue;
        totals.set(entry.type, add(totals.get(entry.type), totalsOf(entry)));
      }
      return totals;
    },
  };
}

/** The values are those of `factRollups`. */
function totalsOf({ status, values: [total = 0, roiSum = 0, roiMax = 0] }: TallyEntry): Totals {
  return { total, winners: status === 'winner' ? total : 0, roiSum, roiMax };
}

function add(a: Totals | undefined, b: Totals): Totals {
  if (a === undefined) return b;
  return {
    total: a.total + b.total,
    winners: a.winners + b.winners,
    roiSum: a.roiSum + b.roiSum,
    roiMax: Math.max(a.roiMax, b.roiMax),
  };
}
