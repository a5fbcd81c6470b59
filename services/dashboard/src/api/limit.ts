import { type QueryClient, skipToken, useQuery } from '@tanstack/react-query';

/** In the query cache, which is emptied with the account, because the limit is the account's. */
const key = ['limited until'];

/** Notes that the limit is used up: requests are refused before an instant (Unix milliseconds of this browser's clock). */
export function noteLimit(queries: QueryClient, retryAtMs: number): void {
  queries.setQueryData<number>(key, (knownMs = 0) => Math.max(knownMs, retryAtMs));
}

/** Until when requests are refused, in Unix milliseconds; an instant in the past when they are not refused. */
export function useLimitedUntil(): number {
  return useQuery<number>({ queryKey: key, queryFn: skipToken }).data ?? 0;
}
