/** The longest that a write takes from making an entry to storing it, in milliseconds: the driver gives up a silent server much earlier. */
const writeTakesMs = 30_000;

/** How often a pass reads all entries, in milliseconds. A process may pause for any time between making and storing an entry. */
const fullPassEveryMs = 30_000;

/**
 * Where a scan of an index by time begins. For an index whose entries are removed soon after they are made: the engine may
 * keep removed entries until a vacuum, and a scan from the beginning reads all of them. So a pass begins at the watermark,
 * and only one pass in 30 s begins at the beginning.
 */
export type ScanWatermark = {
  /** Where a pass over the entries up to `now` begins. Call `complete` when the pass has dealt with all it found. */
  beginPass(now: Date): { readonly from: Date | undefined; readonly complete: () => void };
};

/** A watermark of this process. The first pass reads all entries. */
export function openScanWatermark(): ScanWatermark {
  let from: Date | undefined;
  let fullPassAtMs = Number.NEGATIVE_INFINITY;
  return {
    beginPass: (now) => {
      const startedAtMs = now.getTime();
      const isFull = Math.abs(startedAtMs - fullPassAtMs) >= fullPassEveryMs;
      return {
        from: isFull ? undefined : from,
        complete: () => {
          from = new Date(startedAtMs - writeTakesMs);
          if (isFull) fullPassAtMs = startedAtMs;
        },
      };
    },
  };
}
