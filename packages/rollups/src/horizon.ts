/** Longest time from marking a change to having it stored: the driver gives a silent server up much earlier. */
const writeTakesMs = 30_000;

/** How often to look for what took longer all the same: a process may be held up for any time. */
const sweepEveryMs = 30_000;

/**
 * From when on there may be marks. Where deleted index entries stay until a vacuum, looking for marks since ever reads
 * all that there were since the last one; so it is done now and then only. A write that takes longer than `writeTakesMs`
 * counts from the next sweep on.
 */
export type Horizon = {
  /** Marks made earlier have been dealt with; undefined while that is not known of any. */
  markedFrom(): Date | undefined;
  /** Where a pass over the marks that is about to begin has to begin. */
  beginPass(): { readonly markedFrom: Date | undefined; readonly complete: () => void };
};

/** A horizon of one process, which begins at the beginning. */
export function openHorizon(now: () => Date): Horizon {
  let markedFrom: Date | undefined;
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  return {
    markedFrom: () => markedFrom,
    beginPass: () => {
      const startedAtMs = now().getTime();
      const sweeps = Math.abs(startedAtMs - sweptAtMs) >= sweepEveryMs;
      return {
        markedFrom: sweeps ? undefined : markedFrom,
        complete: () => {
          markedFrom = new Date(startedAtMs - writeTakesMs);
          if (sweeps) sweptAtMs = startedAtMs;
        },
      };
    },
  };
}
