import type { Webhook } from '@sigcast/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { queryKeys, waitingRefreshMs } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';
import { findFirstDelivery } from './first-delivery.ts';

/** Looks for the first delivery of these webhooks, beginning with the newest webhook, again and again until there is one. */
export function useFirstDelivery(webhooks: readonly Webhook[], waitingSinceMs: number) {
  const session = useSession();
  return useQuery({
    queryKey: [...queryKeys.deliveries, 'first', webhooks.map(({ id }) => id)],
    queryFn: ({ signal }) =>
      findFirstDelivery(webhooks, ({ id }, query) =>
        session.ask((api) => api.webhooks.deliveries(id, query, { signal })),
      ),
    placeholderData: keepPreviousData,
    // Requests count against the account's limit: a search that costs more is made less often.
    refetchInterval: ({ state }) =>
      state.data?.delivered || webhooks.length === 0
        ? false
        : waitingRefreshMs(waitingSinceMs) * (state.data?.requests ?? webhooks.length),
  });
}
