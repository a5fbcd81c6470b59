import type { Aggregates, Figures, Period } from '@sigcast/aggregates';
import type { TotalsByType } from '@sigcast/statistics';
import type { DistributionStore, Selection, SeriesStore, StatisticsStore } from '../domain/ports.ts';
import { toDistributionTotals } from './fact-distribution.ts';
import { factTotals } from './fact-document.ts';

/**
 * Totals from the aggregates of the facts.
 * @param fresh whether a call counts every write before it; otherwise figures are up to a second old
 */
export function aggregateStatistics(
  aggregates: Pick<Aggregates, 'read' | 'readDistributions' | 'readSeries' | 'refresh'>,
  { fresh = false } = {},
): StatisticsStore & DistributionStore & SeriesStore {
  const refresh = async () => {
    while (fresh && !(await aggregates.refresh()));
  };
  return {
    totals: async (select) => {
      await refresh();
      const { asOf, figures } = await aggregates.read((at) => toPeriod(select(at)));
      return { asOf, totals: toTotals(figures) };
    },
    distributions: async (select) => {
      await refresh();
      const { asOf, figures, distributions } = await aggregates.readDistributions((at) =>
        toPeriod(select(at)),
      );
      return {
        ...{ asOf, totals: toTotals(figures) },
        distributions: new Map([...distributions].map(([type, sums]) => [type, toDistributionTotals(sums)])),
      };
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
