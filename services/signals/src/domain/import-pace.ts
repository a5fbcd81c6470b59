import type { ImportPace } from './ports.ts';

/** The most lines that are written together beside live writes. A live write may have to wait for so many. */
const batchLines = 6;

/** How many times as long as its batch took a pause is: all services together work so much longer on the batch's events. */
const pauseFactor = 16;

/** In milliseconds. */
const maxPauseMs = 5_000;

/** Slows imports down, by small batches with pauses between them, while others write single signals or observations. */
export function importPace(deps: {
  readonly isLive: () => boolean;
  readonly pause: (ms: number) => Promise<void>;
}): ImportPace {
  return {
    get maxBatch() {
      return deps.isLive() ? batchLines : Number.POSITIVE_INFINITY;
    },
    pauseAfter: async (tookMs) => {
      if (deps.isLive()) await deps.pause(Math.min(pauseFactor * tookMs, maxPauseMs));
    },
  };
}
