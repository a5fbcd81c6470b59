import type { BacktestParameters } from '@sigcast/client';
import { keepPreviousData } from '@tanstack/react-query';
import { ApiError } from '../../api/http.ts';
import { useAnswer, useData } from '../../api/use-answer.ts';
import { backtestsRefreshMs } from './refresh.ts';

/** The query key that those of all backtests begin with. */
export const backtestsKey = ['backtests'] as const;

/** Backtests on a page of the list. */
export const backtestsPerPage = 20;
/** Trades on a page of their list. */
export const tradesPerPage = 25;

/** A page of the account's backtests, the newest first. */
export function useBacktests(page: number) {
  return useAnswer((api, options) => api.backtests.list({ limit: backtestsPerPage, page }, options), {
    queryKey: [...backtestsKey, 'page', page],
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => backtestsRefreshMs(data?.data ?? [], Date.now()),
  });
}

/** All finished backtests with trades, the newest first. */
export function useFinishedBacktests() {
  // An account has no more of them.
  const query = { limit: 100 };
  return useData(
    async (api, options) => {
      const { data } = await api.backtests.list(query, options);
      return { data: data.filter(({ result }) => result !== null && result.trades > 0) };
    },
    { queryKey: [...backtestsKey, 'page', 'finished'] },
  );
}

/** How many signals there are now that a backtest would go through, recorded since or before. */
export function useSignalsNow({ filters }: BacktestParameters, enabled: boolean) {
  const { since, until, types, is_premium: isPremium } = filters;
  const query = {
    limit: 1,
    type: types,
    since,
    until,
    ...(isPremium !== null && { filter: JSON.stringify({ is_premium: { eq: isPremium } }) }),
  };
  return useAnswer(async (api, options) => (await api.signals.list(query, options)).meta.total, {
    enabled,
    queryKey: [...backtestsKey, 'signals', query],
  });
}

/** A page of the trades of a completed backtest. */
export function useTrades(id: string, page: number) {
  return useAnswer((api, options) => api.backtests.trades(id, { limit: tradesPerPage, page }, options), {
    queryKey: [...backtestsKey, 'trades', id, page],
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** @param id undefined asks for none. */
export function useBacktest(id: string | undefined) {
  return useData((api, options) => api.backtests.get(id ?? '', options), {
    enabled: id !== undefined,
    queryKey: [...backtestsKey, 'one', id],
    refetchInterval: ({ state: { data, error } }) => {
      const isGone = error instanceof ApiError && error.status === 404;
      return isGone || data === undefined ? false : backtestsRefreshMs([data], Date.now());
    },
  });
}
