import { type QueryClient, skipToken, useQuery } from '@tanstack/react-query';

/** Kept beside the account's answers, since the limit is the account's. */
const key = ['limited until'];

/** Notes that requests before an instant (Unix milliseconds of this browser's clock) are refused: the limit is used up. */
export function noteLimit(queries: QueryClient, retryAtMs: number): void {
  queries.setQueryData<number>(key, (knownMs = 0) => Math.max(knownMs, retryAtMs));
}

/** Until when requests are refused, in Unix milliseconds; an instant that has passed where they are not. */
export function useLimitedUntil(): number {
  return useQuery<number>({ queryKey: key, queryFn: skipToken }).data ?? 0;
}
