import type { Delivery, Webhook } from '@sigcast/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { patience, stored } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';

/** `failed`: none was taken yet, and the newest webhook's last one has been given up. */
export type FirstDelivery = 'none' | 'failed' | 'delivered';

/** Whether any of these webhooks, the newest first, ever took a delivery. Looks out for one until it is there. */
export function useFirstDelivery(webhooks: readonly Webhook[], waitingSinceMs: number) {
  const session = useSession();
  return useQuery({
    queryKey: [...stored.deliveries, 'first', webhooks.map(({ id }) => id)],
    queryFn: async ({ signal }): Promise<FirstDelivery> => {
      const newest = async ({ id }: Webhook, filter: string) => {
        const path = `/v1/webhooks/${encodeURIComponent(id)}/deliveries?limit=1${filter}`;
        return (await session.call<Delivery[]>('GET', path, { signal })).data[0];
      };
      for (const webhook of webhooks) {
        if ((await newest(webhook, '&status=delivered')) !== undefined) return 'delivered';
      }
      const last = webhooks[0] === undefined ? undefined : await newest(webhooks[0], '');
      return last?.status === 'failed' ? 'failed' : 'none';
    },
    placeholderData: keepPreviousData,
    // Each webhook costs a request.
    refetchInterval: ({ state }) =>
      state.data === 'delivered' || webhooks.length === 0
        ? false
        : patience(waitingSinceMs) * webhooks.length,
  });
}
