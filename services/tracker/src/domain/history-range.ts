import {
  bucketStart,
  invalidRequest,
  maxHistoryBuckets,
  type Resolution,
  resolutions,
  type SignalHistoryQuery,
  usualHistoryBuckets,
} from '@sigcast/contracts';

/** The range of a history, and the width of its buckets. */
export type HistoryRange = {
  /** Itself included, as `until`. */
  readonly from: Date;
  readonly until: Date;
  readonly resolution: Resolution;
  readonly widthMs: number;
};

const widthsMs: Readonly<Record<Resolution, number>> = {
  '1m': 60_000,
  '5m': 300_000,
  '1h': 3_600_000,
  '1d': 86_400_000,
  '1w': 7 * 86_400_000,
};

/**
 * The range that a query asks for: from the signal's creation up to now, where it does not say.
 * The resolution is the finest with at most `usualHistoryBuckets`, where the query does not say. There are no buckets
 * before the signal's creation or after now.
 * @throws {SigcastError} INVALID_REQUEST when the range is empty, or has more than `maxHistoryBuckets` buckets.
 */
export function historyRange(
  query: SignalHistoryQuery,
  { createdAt, now }: { readonly createdAt: Date; readonly now: Date },
): HistoryRange {
  const from = query.from ?? createdAt;
  // The clock of the signals service may be ahead of this process's clock.
  const until = query.until ?? (query.from === undefined && now < createdAt ? createdAt : now);
  if (from > until) {
    throw invalidRequest([
      query.from === undefined
        ? { field: 'until', message: `must not be before the signal was created, ${createdAt.toISOString()}` }
        : { field: 'from', message: 'must not be after until' },
    ]);
  }
  const firstMs = Math.max(from.getTime(), createdAt.getTime());
  const lastMs = Math.min(until.getTime(), Math.max(now.getTime(), createdAt.getTime()));
  const countBy = (resolution: Resolution) => {
    const widthMs = widthsMs[resolution];
    return (bucketStart(lastMs, widthMs) - bucketStart(firstMs, widthMs)) / widthMs + 1;
  };
  const usual = resolutions.find((each) => countBy(each) <= usualHistoryBuckets) ?? '1w';
  const resolution = query.resolution ?? usual;
  const count = countBy(resolution);
  if (count > maxHistoryBuckets) {
    throw invalidRequest([{ field: 'resolution', message: tooMany(resolution, count) }]);
  }
  return { from, until, resolution, widthMs: widthsMs[resolution] };
}

function tooMany(resolution: Resolution, count: number): string {
  const way = resolution === '1w' ? 'is the coarsest; bring' : 'must be coarser; or bring';
  return `${way} from and until closer together: there are ${count} buckets, and an answer has at most ${maxHistoryBuckets}`;
}
