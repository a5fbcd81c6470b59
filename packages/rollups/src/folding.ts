import { type Logger, pause } from '@sigcast/runtime';
import type { Rollups } from './rollups.ts';

/** Keeps the buckets up with the changes, for as long as it is not closed. */
export type Folding = { close(): Promise<void> };

/** Between two looks for changes, in milliseconds. Figures are exact without; with it they stay cheap to read. */
const foldEveryMs = 200;

/** After a failure; the store then has worse to do. */
const retryMs = 2_000;

/** Starts to build missing buckets and to fold changes in, one after the other. */
export function startFolding(rollups: Rollups, log: Logger): Folding {
  const stopping = new AbortController();
  const rest = (ms: number) => pause(ms, stopping.signal).catch(() => undefined);

  /** Repeats a step until it says that nothing is left for now, then again later. */
  const repeat = async (what: string, step: () => Promise<boolean>, untilDone: boolean) => {
    while (!stopping.signal.aborted) {
      try {
        const done = await step();
        if (done && untilDone) return;
        // Reads are slow while it is behind, so it does not rest then.
        if (done) await rest(foldEveryMs);
      } catch (err) {
        log.warn({ err }, `rollups: ${what} will be tried again; figures come from the source meanwhile`);
        await rest(retryMs);
      }
    }
  };

  const built = repeat('building', () => rollups.build(stopping.signal).then(() => true), true);
  const folded = repeat('folding', () => rollups.fold(), false);
  return {
    close: async () => {
      stopping.abort();
      await Promise.all([built, folded]);
    },
  };
}
