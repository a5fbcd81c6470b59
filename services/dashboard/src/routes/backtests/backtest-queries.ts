import { keepPreviousData } from '@tanstack/react-query';
import { ApiError } from '../../api/http.ts';
import { useAnswer, useData } from '../../api/use-answer.ts';
import { backtestsRefreshMs } from './refresh.ts';

/** The query key that those of all backtests begin with. */
export const backtestsKey = ['backtests'] as const;

/** Backtests on a page of the list. */
export const backtestsPerPage = 20;

/** A page of the account's backtests, the newest first. */
export function useBacktests(page: number) {
  return useAnswer((api, options) => api.backtests.list({ limit: backtestsPerPage, page }, options), {
    queryKey: [...backtestsKey, 'page', page],
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => backtestsRefreshMs(data?.data ?? [], Date.now()),
  });
}

export function useBacktest(id: string) {
  return useData((api, options) => api.backtests.get(id, options), {
    queryKey: [...backtestsKey, 'one', id],
    refetchInterval: ({ state: { data, error } }) => {
      const isGone = error instanceof ApiError && error.status === 404;
      return isGone || data === undefined ? false : backtestsRefreshMs([data], Date.now());
    },
  });
}
