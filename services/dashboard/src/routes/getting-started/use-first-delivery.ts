import type { Delivery, Webhook } from '@sigcast/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { patience, stored } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';

/** Whether a webhook ever took a delivery; until then, the newest delivery that the newest webhook did not take. */
export type FirstDelivery = { readonly delivered: boolean; readonly refused: Delivery | undefined };

/** Looks out for the first delivery of any of these webhooks, the newest first, until there is one. */
export function useFirstDelivery(webhooks: readonly Webhook[], waitingSinceMs: number) {
  const session = useSession();
  return useQuery({
    queryKey: [...stored.deliveries, 'first', webhooks.map(({ id }) => id)],
    queryFn: async ({ signal }): Promise<FirstDelivery> => {
      const log = ({ id }: Webhook, query: string) =>
        session.call<Delivery[]>('GET', `/v1/webhooks/${encodeURIComponent(id)}/deliveries?${query}`, {
          signal,
        });
      let refused: Delivery | undefined;
      for (const webhook of webhooks) {
        const { data, meta } = await log(webhook, 'limit=20');
        const isLong = meta.total > data.length;
        const delivered =
          data.some(({ status }) => status === 'delivered') ||
          (isLong && (await log(webhook, 'limit=1&status=delivered')).data.length > 0);
        if (delivered) return { delivered: true, refused: undefined };
        if (webhook === webhooks[0]) refused = data.find(({ attempt_count: count }) => count > 0);
      }
      return { delivered: false, refused };
    },
    placeholderData: keepPreviousData,
    // Each webhook costs a request.
    refetchInterval: ({ state }) =>
      state.data?.delivered || webhooks.length === 0 ? false : patience(waitingSinceMs) * webhooks.length,
  });
}
