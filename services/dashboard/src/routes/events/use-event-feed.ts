import type { FeedEvent } from '@sigcast/client';
import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
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
  const stream = useEvents({
    choice,
    onEvent: (event) => {
      queries.setQueryData<InfiniteData<FeedPage, string>>(queryKey, (known) => {
        const [first, ...older] = known?.pages ?? [];
        if (known === undefined || first === undefined) return known;
        if (first.data.some(({ id }) => id === event.id)) return known;
        return { ...known, pages: [{ ...first, data: [event, ...first.data] }, ...older] };
      });
      if ((feed.data?.pages[0]?.data.length ?? 0) >= mostFollowed) void queries.resetQueries({ queryKey });
    },
    onGap: () => void queries.invalidateQueries({ queryKey }),
  });
  return { feed, stream };
}
