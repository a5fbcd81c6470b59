import type { Unavailable } from '../domain/admission.ts';
import type { MasterBreaker } from './master-breaker.ts';

/**
 * Calls Redis about a key, through the breaker before whoever answers for it. `away` where nobody may be asked, or the call
 * failed or was given up. @throws when a script is wrong: that is a bug of ours, not an outage.
 */
export type AskRedis = <T>(key: string, command: (key: string) => Promise<T>) => Promise<T | Unavailable>;

export type AskRedisOptions = {
  /** The breaker before whoever answers for a key; absent while nobody is known to. */
  readonly breakerFor: (key: string) => Pick<MasterBreaker, 'closed' | 'succeeded' | 'failed'> | undefined;
  /** Told of every call that failed or was given up. */
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
