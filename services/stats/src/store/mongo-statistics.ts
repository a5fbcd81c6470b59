import type { Aggregates, Figures, Period } from '@sigcast/aggregates';
import type { Selection, SeriesStore, StatisticsStore, TotalsByType } from '../domain/ports.ts';
import { factTotals } from './fact-document.ts';

/**
 * Totals from the aggregates of the facts.
 * @param fresh whether to take in all that was written before a call, where it may have been up to a second otherwise
 */
export function aggregateStatistics(
  aggregates: Pick<Aggregates, 'read' | 'readSeries' | 'refresh'>,
  { fresh = false } = {},
): StatisticsStore & SeriesStore {
  const refresh = async () => {
    while (fresh && !(await aggregates.refresh()));
  };
  return {
    totals: async (select) => {
      await refresh();
      const { asOf, figures } = await aggregates.read((at) => toPeriod(select(at)));
      return { asOf, totals: toTotals(figures) };
    },
    series: async (select, intervalMs) => {
      await refresh();
      const { asOf, series } = await aggregates.readSeries((at) => toPeriod(select(at)), intervalMs);
      return { asOf, series: new Map([...series].map(([startMs, figures]) => [startMs, toTotals(figures)])) };
    },
  };
}

function toPeriod({ from, to }: Selection): Period {
  return { after: from, until: to };
}

function toTotals(figures: Figures): TotalsByType {
  return new Map([...figures].map(([type, values]) => [type, factTotals(values)]));
}
