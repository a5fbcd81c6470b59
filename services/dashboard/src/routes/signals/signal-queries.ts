import type { Delivery, Origin, Realizable, Signal, SignalHistory, Webhook } from '@sigcast/client';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/http.ts';
import { type Following, queryKeys, refreshEveryMs } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';
import { useAnswer, useData } from '../../api/use-answer.ts';
import { type NoHistory, noHistory } from './no-history.ts';
import { isOpen, type VerifiedProof, verifyProof } from './verify-proof.ts';

/** More events than a signal has: its status changes twice at most. */
const mostEvents = 100;
/** How often to ask again for a delivery that is under way, and for one whose next attempt is later. */
const underWayMs = 5_000;
const waitingMs = 30_000;

const signalEventsKey = (id: string) => ['signal', id, 'events'];
/** The beginning of the query keys of a signal's history. */
export const signalHistoryKey = (id: string) => ['signal', id, 'history'];
/** The query key of the deliveries of a signal's events. */
export const signalDeliveriesKey = (id: string) => [...queryKeys.deliveries, 'of-signal', id];

/** The events of a signal that are kept, the oldest first. */
export function useSignalEvents(id: string) {
  return useData((api, options) => api.events.list({ signal_id: id, limit: mostEvents }, options), {
    queryKey: signalEventsKey(id),
  });
}

/**
 * What could be realized with a signal; null where there was no position. A request of its own, so that during an update,
 * when the old version of the signals service refuses it, the page still shows the rest.
 */
export function useRealizable(id: string, following: Following) {
  return useAnswer(
    async (api, options): Promise<Realizable | null> =>
      (await api.signals.get(id, { include: 'realizable' }, options)).data.realizable ?? null,
    { queryKey: ['signal', id, 'realizable'], refetchInterval: refreshEveryMs(following) },
  );
}

/** What a signal rests on, which never changes; null where the producer did not say. */
export function useOrigin(id: string) {
  return useAnswer(
    async (api, options): Promise<Origin | null> =>
      (await api.signals.get(id, { include: 'origin' }, options)).data.origin ?? null,
    { queryKey: ['signal-origin', id], staleTime: Number.POSITIVE_INFINITY },
  );
}

/** What the public log has about a signal, verified here; null where it has nothing. Asks again until it has the outcome. */
export function useProof(signal: Signal) {
  const session = useSession();
  const { id, performance } = signal;
  return useQuery({
    queryKey: ['signal', id, 'proof', performance.status],
    queryFn: async ({ signal: aborted }): Promise<VerifiedProof | null> => {
      try {
        const options = { signal: aborted };
        const [{ data }, keys] = await Promise.all([
          session.ask((api) => api.signals.proof(id, options)),
          readKeys(options),
        ]);
        return await verifyProof(data, keys, signal);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
    refetchInterval: ({ state: { data } }) => (isSettled(signal, data) ? false : waitingMs),
  });
}

/** The keys that the log says it has, a line each. @throws {ApiError} unless they could be read. */
async function readKeys(options: { readonly signal: AbortSignal }): Promise<string> {
  const answer = await fetch('/log/key', options);
  if (answer.ok) return answer.text();
  throw new ApiError(answer.status, {});
}

/** An hour: what the log lacks then, it does not get by itself. */
const lateMs = 3_600_000;

/** Whether asking again would show nothing else. */
function isSettled({ updated_at }: Signal, proof: VerifiedProof | null | undefined): boolean {
  if (proof && !isOpen(proof)) return true;
  return Date.now() - Date.parse(updated_at) > lateMs;
}

const hourMs = 3_600_000;
/** How long each part of a history is, in milliseconds. */
export const spansMs = {
  '24h': 24 * hourMs,
  '7d': 168 * hourMs,
  '30d': 720 * hourMs,
  all: undefined,
} as const;
export type HistorySpan = keyof typeof spansMs;

/** The history of a signal, or why there is none. */
export function useSignalHistory(
  { id, created_at }: Pick<Signal, 'id' | 'created_at'>,
  span: HistorySpan,
  following: Following,
) {
  const session = useSession();
  return useQuery({
    queryKey: [...signalHistoryKey(id), span],
    queryFn: async ({ signal }): Promise<SignalHistory | NoHistory> => {
      const spanMs = spansMs[span];
      const fromMs = spanMs === undefined ? 0 : Math.max(Date.now() - spanMs, Date.parse(created_at));
      const query = fromMs === 0 ? {} : { from: new Date(fromMs) };
      try {
        return (await session.ask((api) => api.signals.history(id, query, { signal }))).data;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return noHistory(created_at, Date.now());
        throw error;
      }
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => {
      // Such a history begins with the signal's next event, and then the page asks again anyway.
      if (data === 'never recorded') return false;
      return data === 'not yet' ? underWayMs : refreshEveryMs(following);
    },
  });
}

/** A delivery and where it went. */
export type SentDelivery = { readonly webhook: Webhook; readonly delivery: Delivery };

/** The deliveries of a signal's events to these webhooks, with one request for each webhook, all at once. */
export function useSignalDeliveries(id: string, webhooks: readonly Webhook[]) {
  const session = useSession();
  return useQueries({
    queries: webhooks.map((webhook) => ({
      queryKey: [...signalDeliveriesKey(id), webhook.id],
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<SentDelivery[]> => {
        const query = { signal_id: id, limit: 100 };
        const { data } = await session.ask((api) => api.webhooks.deliveries(webhook.id, query, { signal }));
        return data.map((delivery) => ({ webhook, delivery }));
      },
      staleTime: waitingMs,
      refetchInterval: ({ state }: { state: { data: SentDelivery[] | undefined } }) =>
        pauseOf(state.data ?? []),
    })),
    combine: (answers) => ({
      sent: answers
        .flatMap(({ data }) => data ?? [])
        .sort((a, b) => b.delivery.created_at.localeCompare(a.delivery.created_at)),
      pending: answers.some(({ isPending }) => isPending),
      errors: answers.map(({ error }) => error).filter((error) => error !== null),
      fetching: answers.some(({ isFetching }) => isFetching),
      retry: () => Promise.all(answers.filter(({ isError }) => isError).map(({ refetch }) => refetch())),
    }),
  });
}

function pauseOf(sent: readonly SentDelivery[]): number | false {
  const due = sent
    .filter(({ delivery }) => delivery.status === 'pending')
    .map(({ delivery }) => Date.parse(delivery.next_attempt_at ?? '') || 0);
  if (due.length === 0) return false;
  return Math.min(...due) - Date.now() < waitingMs ? underWayMs : waitingMs;
}
