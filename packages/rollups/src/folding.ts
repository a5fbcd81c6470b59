import { type Logger, pause } from '@sigcast/runtime';
import type { Rollups } from './rollups.ts';

/** Keeps the buckets up with the changes, for as long as it is not closed. */
export type Folding = {
  /**
   * Resolves when everything written before this call is in the buckets, or when that has failed for now: who writes much
   * waits for it now and then, as reads cost more the further folding is behind.
   */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
};

/** Between two looks for changes, in milliseconds. Figures are exact without; with it they stay cheap to read. */
const foldEveryMs = 200;

/** After a failure; the store then has worse to do. */
const retryMs = 2_000;

/** Between two looks whether buckets are all there: they are cleared to be built again, and whoever does it may die. */
const buildEveryMs = 10_000;

/** Starts to build missing buckets and to fold changes in, one beside the other. */
export function startFolding(rollups: Rollups, log: Logger): Folding {
  const stopping = new AbortController();
  const rest = (ms: number) => pause(ms, stopping.signal).catch(() => undefined);

  /** Does a step again and again. */
  const repeat = async (what: string, step: () => Promise<void>) => {
    while (!stopping.signal.aborted) {
      try {
        await step();
      } catch (err) {
        log.warn({ err }, `rollups: ${what} will be tried again; figures come from the source meanwhile`);
        await rest(retryMs);
      }
    }
  };

  const build = () =>
    repeat('building', async () => {
      await rollups.build(stopping.signal);
      await rest(buildEveryMs);
    });
  let askers: (() => void)[] = [];
  let ring = () => {};
  const fold = () =>
    repeat('folding', async () => {
      const asked = askers;
      askers = [];
      let done = true;
      try {
        done = await rollups.fold();
      } finally {
        if (done) for (const tell of asked) tell();
        else askers.push(...asked);
      }
      // Reads are slow while it is behind, so it does not rest then.
      if (done && askers.length === 0) {
        const rung = new Promise<void>((resolve) => {
          ring = resolve;
        });
        await Promise.race([rest(foldEveryMs), rung]);
      }
    });

  const working = [build(), fold()];
  return {
    caughtUp: async () => {
      if (stopping.signal.aborted) return;
      const told = new Promise<void>((resolve) => {
        askers.push(resolve);
      });
      ring();
      await told;
    },
    close: async () => {
      stopping.abort();
      await Promise.all(working);
      for (const tell of askers) tell();
    },
  };
}
