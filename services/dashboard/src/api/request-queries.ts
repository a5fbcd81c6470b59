import type { LoggedRequest, RequestList } from '@sigcast/contracts';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { type RequestFilter, requestQuery } from './request-filter.ts';
import { useSession } from './session-context.tsx';

const perPage = '100';
/** While somebody follows the log, in milliseconds: entries are some two seconds behind anyway. */
const liveMs = 2_000;
const refreshMs = 30_000;

/** The account's requests page by page, newest first. While `live`, only the first page, which follows the log. */
export function useRequests(filter: RequestFilter, live: boolean) {
  const session = useSession();
  return useInfiniteQuery({
    queryKey: ['requests', filter, live],
    queryFn: async ({ signal, pageParam }): Promise<Omit<RequestList, 'success'>> => {
      const query = requestQuery(filter);
      query.set('limit', perPage);
      if (pageParam !== '') query.set('cursor', pageParam);
      const path = `/account/requests?${query}`;
      const { data, meta } = await session.call<LoggedRequest[]>('GET', path, { signal });
      return { data, meta: meta as unknown as RequestList['meta'] };
    },
    initialPageParam: '',
    getNextPageParam: ({ meta }) => (live ? null : meta.next_cursor),
    placeholderData: keepPreviousData,
    refetchInterval: live ? liveMs : refreshMs,
  });
}
