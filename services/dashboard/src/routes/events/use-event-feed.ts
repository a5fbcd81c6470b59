import type { FeedEvent } from '@sigcast/client';
import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type EventFilter, eventChoice } from '../../api/event-filter.ts';
import { useSession } from '../../api/session-context.tsx';
import { useEvents } from '../../api/use-events.ts';

const perPage = 50;
/** When the stream has brought so many events, older ones than the newest page leave the list. */
const mostFollowed = 300;

type FeedPage = { readonly data: readonly FeedEvent[]; readonly next: string | null };

/**
 * The feed page by page, newest first, followed as it grows. New events wait while `held`; `waiting` is their number, and
 * `release` shows them.
 */
export function useEventFeed(filter: EventFilter, held: boolean) {
  const session = useSession();
  const queries = useQueryClient();
  const choice = eventChoice(filter);
  const queryKey = ['events', choice];
  const [waiting, setWaiting] = useState<{ readonly key: string; readonly events: readonly FeedEvent[] }>();
  const list = JSON.stringify(choice);
  const feed = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }): Promise<FeedPage> =>
      session.ask(async (api) => {
        const after = pageParam === '' ? {} : { after: pageParam };
        const { data, meta } = await api.events.list(
          { order: 'desc', limit: perPage, ...choice, ...after },
          { signal },
        );
        return { data, next: meta.has_more ? meta.next_cursor : null };
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const show = (events: readonly FeedEvent[]) => {
    queries.setQueryData<InfiniteData<FeedPage, string>>(queryKey, (known) => {
      const [first, ...older] = known?.pages ?? [];
      if (known === undefined || first === undefined) return known;
      const listed = new Set(first.data.map(({ id }) => id));
      const fresh = events.filter(({ id }) => !listed.has(id));
      return { ...known, pages: [{ ...first, data: [...fresh, ...first.data] }, ...older] };
    });
    const shown = feed.data?.pages[0]?.data.length ?? 0;
    if (shown + events.length > mostFollowed) void queries.resetQueries({ queryKey });
  };
  const arrived = waiting?.key === list ? waiting.events : [];
  const stream = useEvents({
    choice,
    onEvent: (event) => {
      if (held) setWaiting({ key: list, events: [event, ...arrived] });
      else show([event]);
    },
    onGap: () => void queries.invalidateQueries({ queryKey }),
  });
  return {
    feed,
    stream,
    waiting: arrived.length,
    release: () => {
      if (arrived.length > 0) show(arrived);
      setWaiting(undefined);
    },
  };
}
