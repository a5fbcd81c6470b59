import type { Delivery, Webhook } from '@sigcast/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { patience, stored } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';
import { findFirstDelivery } from './first-delivery.ts';

/** Looks out for the first delivery of any of these webhooks, the newest first, until there is one. */
export function useFirstDelivery(webhooks: readonly Webhook[], waitingSinceMs: number) {
  const session = useSession();
  return useQuery({
    queryKey: [...stored.deliveries, 'first', webhooks.map(({ id }) => id)],
    queryFn: ({ signal }) =>
      findFirstDelivery(webhooks, ({ id }, query) =>
        session.call<Delivery[]>('GET', `/v1/webhooks/${encodeURIComponent(id)}/deliveries?${query}`, {
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    // Requests count against the account's limit: a search that costs more is made less often.
    refetchInterval: ({ state }) =>
      state.data?.delivered || webhooks.length === 0
        ? false
        : patience(waitingSinceMs) * (state.data?.requests ?? webhooks.length),
  });
}
