import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './http.ts';
import { noteLimit } from './limit.ts';

const mostRetries = 2;
/** The longest pause before a retry. A page that would have to wait longer shows the error instead. */
const longestPauseS = 5;
/** The longest that the limit per minute lasts. A longer wait is for the limit per day: the page says until when. */
const longestCountdownS = 60;

/**
 * Retries a query after an outage that may end within seconds, and after the limit per minute, for which the page shows a
 * countdown. Every other failure is an error at once, also a missing connection: a query that waited for one would look as
 * if it were loading.
 */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        networkMode: 'always',
        refetchOnReconnect: true,
        refetchOnWindowFocus: true,
        retry: (failures, error) => {
          const freesAtMs = whenLimitFrees(error);
          if (freesAtMs === undefined) return failures < mostRetries && mayPass(error);
          noteLimit(client, freesAtMs);
          return true;
        },
        retryDelay: (failures, error) =>
          error instanceof ApiError && error.retryAfterS !== undefined
            ? error.retryAfterS * 1_000
            : 1_000 * 2 ** failures,
      },
    },
  });
  return client;
}

/** For an error of the limit per minute: when requests are accepted again, in Unix milliseconds. Otherwise undefined. */
function whenLimitFrees(error: Error): number | undefined {
  if (!(error instanceof ApiError) || error.status !== 429) return undefined;
  return error.retryAfterS === undefined || error.retryAfterS > longestCountdownS
    ? undefined
    : error.retryAtMs;
}

function mayPass(error: Error): boolean {
  if (!(error instanceof ApiError)) return true;
  if (error.retryAfterS !== undefined) return error.retryAfterS <= longestPauseS;
  return error.status === 0 || error.status >= 500;
}
