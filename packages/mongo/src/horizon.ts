/** Longest time from making an entry to having it stored: the driver gives a silent server up much earlier. */
const writeTakesMs = 30_000;

/** How often to look for what took longer all the same: a process may be held up for any time. */
const sweepEveryMs = 30_000;

/**
 * From when on there may be entries in an index by time that they soon leave again. Where deleted index entries stay until
 * a vacuum, looking for some since ever reads all that there were since the last one; so it is done now and then only.
 * One whose write takes longer than `writeTakesMs` is found at the next such look.
 */
export type Horizon = {
  /** Earlier entries have been dealt with; undefined while that is not known of any. */
  from(): Date | undefined;
  /** Where a pass over the entries up to `now` has to begin. `complete` is for when it has dealt with all it found. */
  beginPass(now: Date): { readonly from: Date | undefined; readonly complete: () => void };
};

/** A horizon of one process, which begins at the beginning. */
export function openHorizon(): Horizon {
  let from: Date | undefined;
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  return {
    from: () => from,
    beginPass: (now) => {
      const startedAtMs = now.getTime();
      const sweeps = Math.abs(startedAtMs - sweptAtMs) >= sweepEveryMs;
      return {
        from: sweeps ? undefined : from,
        complete: () => {
          from = new Date(startedAtMs - writeTakesMs);
          if (sweeps) sweptAtMs = startedAtMs;
        },
      };
    },
  };
}
