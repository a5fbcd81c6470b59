import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './http.ts';
import { noteLimit } from './limit.ts';

const mostRetries = 2;
/** For longer than this nobody is left before a page that says nothing. */
const longestPauseS = 5;
/** The longest that the limit of a minute lasts. For longer, which is until the day ends, a page says when. */
const longestCountdownS = 60;

/**
 * Tries again what may go better by itself: an outage that ends within seconds, or the limit of a minute, to whose end
 * the page counts down. All else is an error at once, and so is having no connection: a query that waits for one would
 * look as if it were loading.
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

/** When a limit frees to whose end the page counts down, in Unix milliseconds; undefined for any other error. */
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
