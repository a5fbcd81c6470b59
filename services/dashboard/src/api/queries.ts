import {
  type CallOptions,
  type Delivery,
  type Sigcast,
  SigcastError,
  type SignalType,
} from '@sigcast/client';
import type { ApiKeyView, MailSettingsView, Period, UsageView } from '@sigcast/contracts';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type DeliveryFilter, deliveriesPerPage, deliveryQuery } from './delivery-filter.ts';
import { useSession } from './session-context.tsx';
import { type SignalFilter, type SignalPage, signalsQuery } from './signal-filter.ts';
import { useAnswer, useData } from './use-answer.ts';

/** How often data is requested again that no event announces: seldom, as an account's tabs share 120 requests a minute. */
const refreshMs = 30_000;
/** While events announce changes: only for figures that change without an event. */
const refreshLiveMs = 5 * 60_000;
/** While somebody waits for something to happen. */
const refreshSoonMs = 4_000;

/** The longest that somebody is expected to take for one of the first steps. */
const longestStepMs = 5 * 60_000;

/**
 * How often to ask for what somebody waits for, in milliseconds: often at first, then seldom, so that a page left open does
 * not use up the dashboard's requests.
 */
export function waitingRefreshMs(sinceMs: number): number {
  return Date.now() - sinceMs < longestStepMs ? refreshSoonMs : refreshMs;
}

/** Whether a delivery is attempted within the next minute. */
function isAboutToEnd({ status, next_attempt_at }: Delivery): boolean {
  if (status !== 'pending') return false;
  return next_attempt_at === null || Date.parse(next_attempt_at) - Date.now() < 60_000;
}

/** The keys that queries begin with, so that a change can invalidate all answers that it makes stale. */
export const queryKeys = {
  keys: ['keys'],
  mail: ['mail'],
  factors: ['factors'],
  sessions: ['sessions'],
  signals: ['signals'],
  stats: ['stats'],
  webhooks: ['webhooks'],
  deliveries: ['deliveries'],
} as const;

/** @param waitingSinceMs since when somebody waits for the first request with a key; absent when nobody waits. */
export function useKeys({ waitingSinceMs }: { readonly waitingSinceMs?: number } = {}) {
  const session = useSession();
  return useQuery({
    queryKey: queryKeys.keys,
    queryFn: async ({ signal }) =>
      (await session.call<ApiKeyView[]>('GET', '/account/keys', { signal })).data,
    refetchInterval: ({ state }) =>
      waitingSinceMs === undefined || state.data?.some(({ last_used_at: at }) => at !== null)
        ? false
        : waitingRefreshMs(waitingSinceMs),
  });
}

export function useMailSettings() {
  const session = useSession();
  return useQuery({
    queryKey: queryKeys.mail,
    queryFn: async ({ signal }) =>
      (await session.call<MailSettingsView>('GET', '/account/mail', { signal })).data,
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

/** Usage with its figures of each key, or each path. */
export function useUsageBy(days: number, by: 'key' | 'route') {
  const session = useSession();
  return useQuery({
    queryKey: ['usage', days, by],
    queryFn: async ({ signal }) =>
      (await session.call<UsageView>('GET', `/account/usage?days=${days}&by=${by}`, { signal })).data,
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
}

/** Whether the page follows the stream of events. */
export type Following = { readonly live: boolean };

/** How often to ask again for what events announce, in milliseconds. */
export function refreshEveryMs({ live }: Following): number {
  return live ? refreshLiveMs : refreshMs;
}

/** Whether the conditions would have to be applied to too many signals. */
function isTooMany(error: unknown): boolean {
  return (
    error instanceof SigcastError &&
    error.status === 400 &&
    error.details.some(({ field }) => field === 'filter')
  );
}

/** The signals of a list. Where they are too many to search beginnings, a searched text is a whole symbol. */
export async function listSignals(
  api: Sigcast,
  filter: SignalFilter,
  options: CallOptions,
): Promise<SignalPage> {
  const askedAtMs = performance.now();
  const asked = async (bySymbol: boolean) => {
    const query = signalsQuery(filter, new Date(), bySymbol);
    return { ...(await api.signals.list(query, options)), filter, query, askedAtMs };
  };
  return asked(false).catch((error: unknown) => {
    if (filter.token?.by !== 'search' || !isTooMany(error)) throw error;
    return asked(true);
  });
}

/** The signals of a list. */
export function useSignals(filter: SignalFilter, { live }: Following) {
  return useAnswer((api, options) => listSignals(api, filter, options), {
    queryKey: [...queryKeys.signals, filter],
    placeholderData: keepPreviousData,
    refetchInterval: refreshEveryMs({ live }),
  });
}

export function useSignal(id: string, { live }: Following) {
  return useData((api, options) => api.signals.get(id, {}, options), {
    queryKey: ['signal', id],
    refetchInterval: refreshEveryMs({ live }),
  });
}

/** @param type the only type that is counted; all where it is undefined. */
export function useStatistics(period: Period, type: SignalType | undefined, { live }: Following) {
  const query = { period, include: 'realizable', ...(type !== undefined && { type }) } as const;
  return useData((api, options) => api.stats.get(query, options), {
    queryKey: [...queryKeys.stats, period, type],
    placeholderData: keepPreviousData,
    refetchInterval: refreshEveryMs({ live }),
  });
}

export function useWebhooks() {
  return useData((api, options) => api.webhooks.list({ limit: 100 }, options), {
    queryKey: queryKeys.webhooks,
  });
}

export function useWebhook(id: string) {
  return useData((api, options) => api.webhooks.get(id, options), {
    queryKey: [...queryKeys.webhooks, id],
    refetchInterval: ({ state }) => (state.data?.recovery?.status === 'running' ? refreshSoonMs : refreshMs),
  });
}

/** A page of a webhook's log. */
export function useDeliveries(id: string, filter: DeliveryFilter) {
  const query = { ...Object.fromEntries(deliveryQuery(filter)), limit: deliveriesPerPage };
  return useAnswer((api, options) => api.webhooks.deliveries(id, query, options), {
    queryKey: [...queryKeys.deliveries, id, filter],
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.data.some((delivery) => isAboutToEnd(delivery)) ? refreshSoonMs : refreshMs,
  });
}

/** The health of a webhook. With `live` it is kept fresh while it is shown. */
export function useHealth(id: string, { live = false, enabled = true } = {}) {
  return useData((api, options) => api.webhooks.health(id, options), {
    queryKey: healthKey(id),
    enabled,
    ...(!live && { staleTime: refreshMs }),
    refetchInterval: live ? refreshMs : false,
  });
}

/** The query key of a webhook's health. */
export function healthKey(id: string) {
  return [...queryKeys.deliveries, id, 'health'];
}

/** @returns a function that requests everything again that is shown of a webhook. */
export function useRefreshWebhook(id: string): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: queryKeys.webhooks }),
      queries.invalidateQueries({ queryKey: [...queryKeys.deliveries, id] }),
    ]);
  };
}

export function useDelivery(webhookId: string, id: string) {
  return useData((api, options) => api.webhooks.delivery(webhookId, id, options), {
    queryKey: [...queryKeys.deliveries, webhookId, 'one', id],
    refetchInterval: ({ state: { data } }) => {
      if (data?.status !== 'pending') return false;
      return isAboutToEnd(data) ? refreshSoonMs : refreshMs;
    },
  });
}
