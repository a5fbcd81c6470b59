import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './http.ts';

const mostRetries = 2;
/** For longer than this nobody is left before a page that says nothing. */
const longestPauseS = 5;

/**
 * Tries again what may go better by itself within seconds: an outage, or a rate limit that frees that soon. All else is
 * an error at once, and so is having no connection: a query that waits for one would look as if it were loading.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        networkMode: 'always',
        refetchOnReconnect: true,
        refetchOnWindowFocus: true,
        retry: (failures, error) => failures < mostRetries && mayPass(error),
        retryDelay: (failures, error) =>
          error instanceof ApiError && error.retryAfterS !== undefined
            ? error.retryAfterS * 1_000
            : 1_000 * 2 ** failures,
      },
    },
  });
}

function mayPass(error: Error): boolean {
  if (!(error instanceof ApiError)) return true;
  if (error.retryAfterS !== undefined) return error.retryAfterS <= longestPauseS;
  return error.status === 0 || error.status >= 500;
}
