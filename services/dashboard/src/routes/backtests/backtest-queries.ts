import type { Backtest, BacktestListItem } from '@sigcast/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/http.ts';
import { useSession } from '../../api/session-context.tsx';
import { refreshEveryMs } from './refresh.ts';

/** The name of backtests among what is kept. */
export const backtestsKey = ['backtests'] as const;

const perPage = 20;

/** A page of the account's backtests, the newest first. */
export function useBacktests(page: number) {
  const session = useSession();
  return useQuery({
    queryKey: [...backtestsKey, 'page', page],
    queryFn: ({ signal }) =>
      session.call<BacktestListItem[]>('GET', `/v1/backtests?limit=${perPage}&page=${page}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => refreshEveryMs(data?.data ?? [], Date.now()),
  });
}

/** One backtest; none is asked for without an id. */
export function useBacktest(id: string | null) {
  const session = useSession();
  return useQuery({
    queryKey: [...backtestsKey, 'one', id],
    queryFn: async ({ signal }) =>
      (await session.call<Backtest>('GET', `/v1/backtests/${encodeURIComponent(id ?? '')}`, { signal })).data,
    enabled: id !== null,
    refetchInterval: ({ state: { data, error } }) => {
      const isGone = error instanceof ApiError && error.status === 404;
      return isGone || data === undefined ? false : refreshEveryMs([data], Date.now());
    },
  });
}
