/** A write takes at most this long from making an entry to storing it: the driver gives up a silent server much earlier. */
const writeTakesMs = 30_000;

/** Every so often a pass reads all entries: a process may be held up for any time between making and storing one. */
const fullPassEveryMs = 30_000;

/**
 * Where a scan of an index by time begins, when its entries leave the index soon after they were made. The engine may
 * keep deleted entries until a vacuum, so a scan from the beginning reads every entry since the last vacuum. A pass
 * therefore begins at the watermark, and only one pass in 30 s begins at the beginning.
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
