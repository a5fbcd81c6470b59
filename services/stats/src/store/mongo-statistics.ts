import type { Aggregates, Distributions, Figures, Sums } from '@sigcast/aggregates';
import type { SignalType } from '@sigcast/contracts';
import type { TotalsByType } from '@sigcast/statistics';
import type { SeriesStore, StatisticsStore } from '../domain/ports.ts';
import { toDistributionTotals } from './fact-distribution.ts';
import { factTotals } from './fact-document.ts';
import { belowHistogram, toPositionTotals } from './fact-position.ts';

/**
 * Totals from the aggregates of the facts.
 * @param fresh whether a call counts every write before it; otherwise figures are up to a second old
 */
export function aggregateStatistics(
  aggregates: Pick<Aggregates, 'read' | 'refresh'>,
  { fresh = false } = {},
): StatisticsStore & SeriesStore {
  const refresh = async () => {
    while (fresh && !(await aggregates.refresh()));
  };
  return {
    totals: async (select, include = []) => {
      await refresh();
      const { asOf, figures, distributions } = await aggregates.read(select, { distributions: include });
      const [distribution, realizable] = [distributions.get('distribution'), distributions.get('realizable')];
      return {
        asOf,
        totals: toTotals(figures),
        ...(distribution && { distribution: eachType(distribution, toDistributionTotals) }),
        ...(realizable && { realizable: eachType(realizable, toPositionTotals) }),
      };
    },
    series: async (select, intervalMs, { realizable }) => {
      await refresh();
      const { asOf, series, sums } = await aggregates.read(select, {
        series: {
          intervalMs,
          sums: realizable ? { name: 'realizable', belowKey: belowHistogram } : undefined,
        },
      });
      return {
        asOf,
        series: new Map([...series].map(([startMs, figures]) => [startMs, toTotals(figures)])),
        realizable: new Map([...sums].map(([startMs, each]) => [startMs, eachType(each, toPositionTotals)])),
      };
    },
  };
}

function eachType<T>(distributions: Distributions, toTotals: (sums: Sums) => T): Map<SignalType, T> {
  return new Map([...distributions].map(([type, sums]) => [type, toTotals(sums)]));
}

function toTotals(figures: Figures): TotalsByType {
  return new Map([...figures].map(([type, values]) => [type, factTotals(values)]));
}
