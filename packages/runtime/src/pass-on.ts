import { backoffMs } from './backoff.ts';
import { keepLooking } from './keep-doing.ts';
import type { Resources } from './lifecycle.ts';
import type { Logger } from './log.ts';
import { LogThrottle } from './log-throttle.ts';

type PassOnOptions<Item> = {
  /** The log message when items could not be found or passed on, at most once a minute. */
  readonly problem: string;
  /** Finds at most so many items that wait. */
  readonly find: (limit: number) => Promise<readonly Item[]>;
  /** Passes an item on, and then clears its dirty flag. May be called for several items at once, and again for the same one. */
  readonly passOn: (item: Item) => Promise<void>;
  /** Between two searches, in milliseconds; the longest one after a first failure. */
  readonly pauses: { readonly firstMs: number; readonly maxMs: number };
  readonly log: Logger;
};

/** Items that one search finds at most, and of these, that are passed on at once: all processes find the same ones. */
const batchSize = 100;
const atOnce = 10;
/** The longest pause after failures in a row, in milliseconds, unless `pauses` are longer. */
const longestRetryMs = 2_000;

/**
 * Passes on what waits in documents, each item at least once and in any order, until `resources` are released. An item that
 * can not be passed on waits in its document, for this or another process. `waiting` is how many items of the last search
 * could not be passed on.
 */
export function keepPassingOn<Item>(
  { problem, find, passOn, pauses, log }: PassOnOptions<Item>,
  resources: Resources,
): { readonly waiting: number } {
  const state = { waiting: 0 };
  const throttle = new LogThrottle();
  let failures = 0;
  const look = async () => {
    try {
      const found = await find(batchSize);
      const results: PromiseSettledResult<void>[] = [];
      for (let from = 0; from < found.length; from += atOnce) {
        results.push(...(await Promise.allSettled(found.slice(from, from + atOnce).map(passOn))));
      }
      const [failure, ...more] = results.filter((result) => result.status === 'rejected');
      state.waiting = failure ? 1 + more.length : 0;
      if (failure) throw failure.reason;
      failures = 0;
      if (found.length === batchSize) return 0;
      return found.length > 0 ? pauses.firstMs : undefined;
    } catch (err) {
      failures += 1;
      if (throttle.isDue(problem)) log.warn({ err }, problem);
      const { maxMs: firstMs } = pauses;
      return { retryMs: backoffMs(failures, { firstMs, maxMs: Math.max(firstMs, longestRetryMs) }) };
    }
  };
  keepLooking(look, pauses, resources);
  return state;
}
