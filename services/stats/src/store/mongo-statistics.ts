import type { SignalType } from '@sigcast/contracts';
import type { Rollups, TallyEntry } from '@sigcast/rollups';
import type { StatisticsStore, Totals } from '../domain/ports.ts';
import { factFigures } from './fact-document.ts';

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

function totalsOf({ status, values }: TallyEntry): Totals {
  const { facts, roiSum, roiMax } = factFigures(values);
  return { total: facts, winners: status === 'winner' ? facts : 0, roiSum, roiMax };
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
