import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/http.ts';
import { useSession } from '../../api/session-context.tsx';
import { backtestsRefreshMs } from './refresh.ts';

/** The query key that those of all backtests begin with. */
export const backtestsKey = ['backtests'] as const;

/** Backtests on a page of the list. */
export const backtestsPerPage = 20;

/** A page of the account's backtests, the newest first. */
export function useBacktests(page: number) {
  const session = useSession();
  return useQuery({
    queryKey: [...backtestsKey, 'page', page],
    queryFn: ({ signal }) =>
      session.ask((api) => api.backtests.list({ limit: backtestsPerPage, page }, { signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => backtestsRefreshMs(data?.data ?? [], Date.now()),
  });
}

/** One backtest. Without an id, nothing is requested. */
export function useBacktest(id: string | null) {
  const session = useSession();
  return useQuery({
    queryKey: [...backtestsKey, 'one', id],
    queryFn: async ({ signal }) => (await session.ask((api) => api.backtests.get(id ?? '', { signal }))).data,
    enabled: id !== null,
    refetchInterval: ({ state: { data, error } }) => {
      const isGone = error instanceof ApiError && error.status === 404;
      return isGone || data === undefined ? false : backtestsRefreshMs([data], Date.now());
    },
  });
}
