import type { FeedEvent } from '@sigcast/client';
import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { type EventFilter, eventChoice } from '../../api/event-filter.ts';
import { useSession } from '../../api/session-context.tsx';
import { useEvents } from '../../api/use-events.ts';

const perPage = 50;
/** When the stream has brought so many events, older ones than the newest page leave the list. */
const mostFollowed = 300;

type FeedPage = { readonly data: readonly FeedEvent[]; readonly next: string | null };

/** The feed page by page, newest first, followed as it grows. */
export function useEventFeed(filter: EventFilter) {
  const session = useSession();
  const queries = useQueryClient();
  const choice = eventChoice(filter);
  const queryKey = ['events', choice];
  /** Events of the stream while the newest page is asked for, which it may not have; newest first. */
  const meanwhile = useRef<readonly FeedEvent[]>([]);
  const feed = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }): Promise<FeedPage> =>
      session.ask(async (api) => {
        const isNewest = pageParam === '';
        if (isNewest) meanwhile.current = [];
        const after = isNewest ? {} : { after: pageParam };
        const { data, meta } = await api.events.list(
          { order: 'desc', limit: perPage, ...choice, ...after },
          { signal },
        );
        const next = meta.has_more ? meta.next_cursor : null;
        return { data: isNewest ? withNewer(meanwhile.current, data) : data, next };
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const stream = useEvents({
    choice,
    onEvent: (event) => {
      if (queries.isFetching({ queryKey }) > 0) meanwhile.current = withNewer([event], meanwhile.current);
      queries.setQueryData<InfiniteData<FeedPage, string>>(queryKey, (known) => {
        const [first, ...older] = known?.pages ?? [];
        if (known === undefined || first === undefined) return known;
        return { ...known, pages: [{ ...first, data: withNewer([event], first.data) }, ...older] };
      });
      if ((feed.data?.pages[0]?.data.length ?? 0) >= mostFollowed) void queries.resetQueries({ queryKey });
    },
    onGap: () => void queries.invalidateQueries({ queryKey }),
  });
  return { feed, stream };
}

/** Events with newer ones before them, each once. */
function withNewer(newer: readonly FeedEvent[], events: readonly FeedEvent[]): readonly FeedEvent[] {
  const known = new Set(events.map(({ id }) => id));
  return [...newer.filter(({ id }) => !known.has(id)), ...events];
}
