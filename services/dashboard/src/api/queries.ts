import type {
  ApiKeyView,
  Delivery,
  DeliveryDetail,
  Period,
  SignalDetail,
  SignalListItem,
  Statistics,
  UsageView,
  Webhook,
  WebhookHealth,
} from '@sigcast/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type DeliveryFilter, deliveryQuery } from './delivery-filter.ts';
import { ApiError } from './http.ts';
import { useSession } from './session-context.tsx';
import { type SignalFilter, type SignalPage, signalsPath } from './signal-filter.ts';

export const deliveriesPerPage = 20;

/** What is not pushed is asked for again this often: seldom, since all tabs of an account share 120 requests a minute. */
const refreshMs = 30_000;
/** While events say what happens: only for figures that change without one. */
const refreshLiveMs = 5 * 60_000;
/** While somebody waits for something to happen. */
const impatientMs = 4_000;

/** So long does a step take somebody who reads it first. */
const patientMs = 5 * 60_000;

/** Asks often for some minutes, then seldom: a page left open must not use up the dashboard's requests. */
export function patience(sinceMs: number): number {
  return Date.now() - sinceMs < patientMs ? impatientMs : refreshMs;
}

/** Whether something is going to happen to a delivery within the next minute. */
function isAboutToEnd({ status, next_attempt_at }: Delivery): boolean {
  if (status !== 'pending') return false;
  return next_attempt_at === null || Date.parse(next_attempt_at) - Date.now() < 60_000;
}

/** Names of what is kept, so that changes know what they make stale. */
export const stored = {
  keys: ['keys'],
  signals: ['signals'],
  stats: ['stats'],
  webhooks: ['webhooks'],
  deliveries: ['deliveries'],
} as const;

/** @param waitingSinceMs when somebody began to wait for the first request with a key; absent when nobody does. */
export function useKeys({ waitingSinceMs }: { readonly waitingSinceMs?: number } = {}) {
  const session = useSession();
  return useQuery({
    queryKey: stored.keys,
    queryFn: async ({ signal }) =>
      (await session.call<ApiKeyView[]>('GET', '/account/keys', { signal })).data,
    refetchInterval: ({ state }) =>
      waitingSinceMs === undefined || state.data?.some(({ last_used_at: at }) => at !== null)
        ? false
        : patience(waitingSinceMs),
  });
}

export function useUsage(days: number) {
  const session = useSession();
  return useQuery({
    queryKey: ['usage', days],
    queryFn: async ({ signal }) =>
      (await session.call<UsageView>('GET', `/account/usage?days=${days}`, { signal })).data,
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
}

/** Whether events of signals come by themselves meanwhile. */
export type Following = { readonly live: boolean };

/** How often what events change is asked for again, in milliseconds. */
export function refreshEveryMs({ live }: Following): number {
  return live ? refreshLiveMs : refreshMs;
}

export function useSignals(filter: SignalFilter, { live }: Following) {
  const session = useSession();
  return useQuery({
    queryKey: [...stored.signals, filter],
    queryFn: async ({ signal }): Promise<SignalPage> => {
      const askedAtMs = performance.now();
      const answer = await session.call<SignalListItem[]>('GET', signalsPath(filter), { signal });
      return { ...answer, filter, askedAtMs };
    },
    placeholderData: keepPreviousData,
    refetchInterval: live ? refreshLiveMs : refreshMs,
  });
}

export function useSignal(id: string | undefined, { live }: Following) {
  const session = useSession();
  return useQuery({
    queryKey: ['signal', id],
    queryFn: async ({ signal }) =>
      (await session.call<SignalDetail>('GET', `/v1/signals/${encodeURIComponent(id ?? '')}`, { signal }))
        .data,
    enabled: id !== undefined,
    refetchInterval: live ? refreshLiveMs : refreshMs,
  });
}

export function useStatistics(period: Period, { live }: Following) {
  const session = useSession();
  return useQuery({
    queryKey: [...stored.stats, period],
    queryFn: async ({ signal }) => {
      const ask = async (more: string) =>
        (await session.call<Statistics>('GET', `/v1/stats?period=${period}${more}`, { signal })).data;
      try {
        return await ask('&include=realizable');
      } catch (error) {
        // While stats is updated, the version before refuses it, and this one may not have counted it yet.
        if (!(error instanceof ApiError) || (error.status !== 400 && error.status !== 503)) throw error;
        return ask('');
      }
    },
    placeholderData: keepPreviousData,
    refetchInterval: live ? refreshLiveMs : refreshMs,
  });
}

export function useWebhooks() {
  const session = useSession();
  return useQuery({
    queryKey: stored.webhooks,
    queryFn: async ({ signal }) =>
      (await session.call<Webhook[]>('GET', '/v1/webhooks?limit=100', { signal })).data,
  });
}

export function useWebhook(id: string) {
  const session = useSession();
  return useQuery({
    queryKey: [...stored.webhooks, id],
    queryFn: async ({ signal }) =>
      (await session.call<Webhook>('GET', `/v1/webhooks/${encodeURIComponent(id)}`, { signal })).data,
    refetchInterval: ({ state }) => (state.data?.recovery?.status === 'running' ? impatientMs : refreshMs),
  });
}

/** A page of a subscription's log. */
export function useDeliveries(id: string, filter: DeliveryFilter) {
  const session = useSession();
  return useQuery({
    queryKey: [...stored.deliveries, id, filter],
    queryFn: ({ signal }) => {
      const query = deliveryQuery(filter);
      query.set('limit', String(deliveriesPerPage));
      const path = `/v1/webhooks/${encodeURIComponent(id)}/deliveries?${query}`;
      return session.call<Delivery[]>('GET', path, { signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.data.some((delivery) => isAboutToEnd(delivery)) ? impatientMs : refreshMs,
  });
}

/** How a subscription is doing. `live`: asked for again and again, and when its log has changed. */
export function useHealth(id: string, { live = false, enabled = true } = {}) {
  const session = useSession();
  return useQuery({
    queryKey: healthKey(id),
    queryFn: async ({ signal }) =>
      (await session.call<WebhookHealth>('GET', `/v1/webhooks/${encodeURIComponent(id)}/health`, { signal }))
        .data,
    enabled,
    ...(!live && { staleTime: refreshMs }),
    refetchInterval: live ? refreshMs : false,
  });
}

/** The name of a subscription's health among what is kept. */
export function healthKey(id: string) {
  return [...stored.deliveries, id, 'health'];
}

export function useDelivery(webhookId: string, id: string) {
  const session = useSession();
  return useQuery({
    queryKey: [...stored.deliveries, webhookId, 'one', id],
    queryFn: async ({ signal }) =>
      (
        await session.call<DeliveryDetail>(
          'GET',
          `/v1/webhooks/${encodeURIComponent(webhookId)}/deliveries/${encodeURIComponent(id)}`,
          { signal },
        )
      ).data,
    refetchInterval: ({ state }) => {
      if (state.data?.status !== 'pending') return false;
      return isAboutToEnd(state.data) ? impatientMs : refreshMs;
    },
  });
}
