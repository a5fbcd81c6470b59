import type { FeedEvent } from '@sigcast/client';
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type EventFilter, eventChoice } from '../../api/event-filter.ts';
import { useSession } from '../../api/session-context.tsx';
import { useEvents } from '../../api/use-events.ts';

const perPage = 50;
/** When the stream has brought so many events, older ones than the newest page leave the list. */
const mostFollowed = 300;

type FeedPage = { readonly data: readonly FeedEvent[]; readonly next: string | null };

/** The feed page by page, newest first, followed as it grows. `events`: those of all pages, and newer ones of the stream. */
export function useEventFeed(filter: EventFilter) {
  const session = useSession();
  const queries = useQueryClient();
  const choice = eventChoice(filter);
  const queryKey = ['events', choice];
  const chosen = JSON.stringify(choice);
  // Beside the pages: an answer that was on its way when an event came would overwrite it there.
  const [brought, setBrought] = useState<Brought>({ chosen, events: [] });
  const newer = brought.chosen === chosen ? brought.events : [];
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
      const begins = newer.length >= mostFollowed;
      setBrought((before) => {
        const others = begins || before.chosen !== chosen ? [] : before.events;
        return { chosen, events: [event, ...others] };
      });
      if (begins) void queries.resetQueries({ queryKey });
    },
    // An answer that is on its way may be older than the stream: a first one is not asked for anew unless it is given up.
    onGap: () => void queries.cancelQueries({ queryKey }).then(() => queries.invalidateQueries({ queryKey })),
  });
  return { feed, events: withNewer(newer, feed.data?.pages.flatMap(({ data }) => data) ?? []), stream };
}

/** Events of the stream, newest first, and the choice that it was opened with. */
type Brought = { readonly chosen: string; readonly events: readonly FeedEvent[] };

/** Events, and before them those of the stream that are newer. Both are in the feed's order. */
function withNewer(newer: readonly FeedEvent[], events: readonly FeedEvent[]): readonly FeedEvent[] {
  const known = new Set(events.map(({ id }) => id));
  const end = newer.findIndex(({ id }) => known.has(id));
  return [...newer.slice(0, end < 0 ? undefined : end), ...events];
}
