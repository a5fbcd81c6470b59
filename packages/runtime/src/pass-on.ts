import { keepLooking } from './keep-doing.ts';
import type { Resources } from './lifecycle.ts';
import type { Logger } from './log.ts';

type PassOnOptions<Item> = {
  /** The log message when an item could not be passed on. */
  readonly problem: string;
  /** Finds at most so many items that wait. */
  readonly find: (limit: number) => Promise<readonly Item[]>;
  /** Passes an item on, and then removes its mark. May be called for several items at once, and again for the same one. */
  readonly passOn: (item: Item) => Promise<void>;
  /** Between two searches, in milliseconds; the longest one after a failure. */
  readonly pauses: { readonly firstMs: number; readonly maxMs: number };
  readonly log: Logger;
};

/** Items that one search finds at most. */
const batchSize = 100;

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
  const look = async () => {
    try {
      const found = await find(batchSize);
      const results = await Promise.allSettled(found.map(passOn));
      const [failure, ...more] = results.filter((result) => result.status === 'rejected');
      if (failure) {
        if (state.waiting === 0) log.warn({ err: failure.reason as unknown }, problem);
        state.waiting = 1 + more.length;
        throw failure.reason;
      }
      if (state.waiting > 0) log.info(`no longer: ${problem}`);
      state.waiting = 0;
      if (found.length === batchSize) return 0;
      return found.length > 0 ? pauses.firstMs : undefined;
    } catch (err) {
      if (state.waiting === 0) log.debug({ err }, `searching failed: ${problem}`);
      return { retryMs: pauses.maxMs };
    }
  };
  keepLooking(look, pauses, resources);
  return state;
}
