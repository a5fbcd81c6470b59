import type { Bucket, BucketStore, CountedBucket } from './bucket-store.ts';
import type { Horizon } from './horizon.ts';
import { below, floorMs, type Level, levels, type Span, topLevel } from './levels.ts';
import type { Source } from './source.ts';
import { addTallies, type Measure, type Tally } from './tally.ts';

/** What rollups are made of. */
export type RollupParts = {
  readonly source: Source;
  readonly buckets: BucketStore;
  readonly horizon: Horizon;
  readonly measures: readonly Measure[];
};

/**
 * With more changes than this waiting to be folded in, as after a large import, one pass over the source costs less than
 * finding out what the buckets are still good for.
 */
const maxChanged = 2_000;

/**
 * The figures of a span: cells of buckets where they can be relied on, as coarse as they come; the source for the rest.
 *
 * What changed is read before the buckets are. A document that is not among it was either taken over into every bucket
 * it belongs to by then, or changed only since. So everything written before this call counts, as it then was.
 */
export async function readRollups(parts: RollupParts, span: Span): Promise<Tally> {
  const uncounted = await parts.source.uncounted(parts.horizon.markedFrom(), maxChanged + 1);
  if (uncounted.length > maxChanged) return parts.source.tally([span]);
  const changed = uncounted
    .map(({ createdAtMs }) => createdAtMs)
    .filter((ms) => ms >= span.fromMs && ms < span.toMs);
  const loaded = await loadBuckets(parts.buckets, span, changed);
  const plan = planRead(span, changed, loaded);
  const rest = plan.spans.length === 0 ? [] : await parts.source.tally(plan.spans);
  return addTallies(parts.measures, [...plan.tallies, rest]);
}

type Loaded = { readonly top: readonly Bucket[]; readonly finer: ReadonlyMap<Level, Map<number, Bucket>> };

/** The coarsest buckets of the span, and the finer ones around each instant where a whole cell can't be used. */
async function loadBuckets(buckets: BucketStore, span: Span, changed: readonly number[]): Promise<Loaded> {
  const instants = [...changed, span.fromMs, span.toMs - 1].filter(Number.isFinite);
  const startsOf = (level: Level) => [...new Set(instants.map((ms) => floorMs(ms, level.widthMs)))];
  const [top, finer] = await Promise.all([
    buckets.loadTop(floorMs(span.fromMs, topLevel.widthMs), floorMs(span.toMs - 1, topLevel.widthMs)),
    buckets.loadLevels(new Map(levels.slice(1).map((level) => [level, startsOf(level)]))),
  ]);
  return { top, finer };
}

/** Cells that together with the spans to count make up the whole span, each instant once. */
function planRead(span: Span, changed: readonly number[], { top, finer }: Loaded) {
  const tallies: Tally[] = [];
  const spans: Span[] = [];
  const changedCells = new Map(
    levels.map((level) => [level, new Set(changed.map((ms) => floorMs(ms, level.cellMs)))]),
  );

  const cover = (level: Level, { startMs, cells }: CountedBucket) => {
    for (let cellMs = startMs; cellMs < startMs + level.widthMs; cellMs += level.cellMs) {
      const endMs = cellMs + level.cellMs;
      if (endMs <= span.fromMs || cellMs >= span.toMs) continue;
      const isWhole = cellMs >= span.fromMs && endMs <= span.toMs;
      if (isWhole && !changedCells.get(level)?.has(cellMs)) {
        tallies.push(cells.get(cellMs) ?? []);
        continue;
      }
      const next = below(level);
      const finerBucket = next && finer.get(next)?.get(cellMs);
      if (next && finerBucket && isCounted(finerBucket)) cover(next, finerBucket);
      else spans.push({ fromMs: Math.max(cellMs, span.fromMs), toMs: Math.min(endMs, span.toMs) });
    }
  };

  let coveredMs = span.fromMs;
  for (const bucket of top.filter(isCounted)) {
    spans.push({ fromMs: coveredMs, toMs: Math.max(coveredMs, bucket.startMs) });
    cover(topLevel, bucket);
    coveredMs = Math.min(span.toMs, bucket.startMs + topLevel.widthMs);
  }
  spans.push({ fromMs: coveredMs, toMs: span.toMs });
  return { tallies, spans: spans.filter(({ fromMs, toMs }) => fromMs < toMs) };
}

/** False for a bucket that was only just made: it says nothing yet. */
export function isCounted(bucket: Bucket): bucket is CountedBucket {
  return bucket.cells !== undefined;
}
