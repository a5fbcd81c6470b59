import type { OperationOf } from '@sigcast/contracts';
import type { OperationHandlers } from '@sigcast/http';
import type { SeriesStore, StatisticsStore } from '../domain/ports.ts';
import { getSeries } from '../domain/series.ts';
import { getStatistics } from '../domain/statistics.ts';

/** Answers the operations of statistics. */
export function statisticsHandlers(
  store: StatisticsStore & SeriesStore,
): OperationHandlers<OperationOf<'stats'>> {
  return {
    getStatistics: async ({ query }) => figures(await getStatistics(store, query)),
    getStatisticsSeries: async ({ query }) => figures(await getSeries(store, query)),
  };
}

/** Figures with a tag that leaves out `as_of`, so that unchanged figures keep their tag. */
function figures<T extends { readonly as_of: string }>(data: T) {
  const { as_of: _asOf, ...tagged } = data;
  return { data, tagged };
}
