import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './http.ts';

const mostRetries = 2;

/** Tries again what may go better by itself: an outage, or a rate limit once it says so. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
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
  return !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;
}
