import type { Unavailable } from '../domain/admission.ts';
import type { MasterBreaker } from './master-breakers.ts';

/**
 * Calls the Redis master of a key through its circuit breaker. Resolves to `unavailable` when the breaker is open, or the
 * call failed or timed out. @throws when a script is wrong: that is a bug of ours, not an outage.
 */
export type AskRedis = <T>(key: string, command: (key: string) => Promise<T>) => Promise<T | Unavailable>;

export type AskRedisOptions = {
  /** The breaker of a key's master; undefined while the master is unknown. */
  readonly breakerFor: (key: string) => Pick<MasterBreaker, 'closed' | 'succeeded' | 'failed'> | undefined;
  /** Called for every call that failed or timed out. */
  readonly onFailure: () => void;
};

export function askRedis({ breakerFor, onFailure }: AskRedisOptions): AskRedis {
  return async (key, command) => {
    const breaker = breakerFor(key);
    if (breaker === undefined || !breaker.closed) return 'unavailable';
    try {
      const answer = await command(key);
      breaker.succeeded();
      return answer;
    } catch (error) {
      if (isScriptError(error)) throw error;
      breaker.failed();
      onFailure();
      return 'unavailable';
    }
  };
}

function isScriptError(error: unknown): boolean {
  return error instanceof Error && /^ERR .*user_script/.test(error.message);
}
