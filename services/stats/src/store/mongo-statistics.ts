import type { Aggregates, Figures } from '@sigcast/aggregates';
import type { SignalType } from '@sigcast/contracts';
import type { StatisticsStore, Totals } from '../domain/ports.ts';
import { factTotals } from './fact-document.ts';

/**
 * Totals from the aggregates of the facts.
 * @param fresh whether to take in all that was written before a call, where it may have been up to a second otherwise
 */
export function aggregateStatistics(
  aggregates: Pick<Aggregates, 'read' | 'refresh'>,
  { fresh = false } = {},
): StatisticsStore {
  return {
    totals: async (period) => {
      while (fresh && !(await aggregates.refresh()));
      const { asOf, figures } = await aggregates.read((at) => {
        const { from, to } = period(at);
        return { after: from, until: to };
      });
      return { asOf, totals: toTotals(figures) };
    },
  };
}

function toTotals(figures: Figures): ReadonlyMap<SignalType, Totals> {
  return new Map([...figures].map(([type, values]) => [type, factTotals(values)]));
}
