import type { Bucket, BucketStore, TopBuckets } from './bucket-store.ts';
import type { Horizon } from './horizon.ts';
import { below, finestLevel, floorMs, joinSpans, type Level, levels, type Span, topLevel } from './levels.ts';
import type { Source } from './source.ts';
import { addTallies, crowdedFacts, type Measure, type Tally } from './tally.ts';

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
 * A function that gives the figures of a span: cells of buckets where they can be relied on, as coarse as they come; the
 * source for the rest.
 *
 * What changed is read before the buckets are. A document that is not among it was either taken over into every bucket
 * it belongs to by then, or changed only since. So everything written before the call counts, as it then was. What the
 * newest generation is, is read with the coarsest buckets; finer ones of another don't count.
 */
export function rollupReader(parts: RollupParts): (span: Span) => Promise<Tally> {
  const ends = spanEnds();
  return async (span) => {
    const uncounted = await parts.source.uncounted(parts.horizon.markedFrom(), maxChanged + 1);
    if (uncounted.length > maxChanged) return parts.source.tally([span]);
    const changed = uncounted.map(({ createdAtMs }) => createdAtMs).filter((ms) => isIn(span, ms));
    const expected = ends.expected(span);
    const isLikely = changed.every((ms) => expected.some((each) => isIn(each, ms)));
    const [loaded, counted] = await Promise.all([
      loadBuckets(parts.buckets, span, changed),
      isLikely ? parts.source.tallyFew(expected, expected.length * crowdedFacts) : undefined,
    ]);
    const { tallies, spans } = planRead(span, changed, loaded);
    ends.learn(span, spans);
    const rest = counted && areEqual(spans, expected) ? counted : await parts.source.tally(spans);
    return addTallies(parts.measures, [...tallies, rest]);
  };
}

/**
 * What has to be counted from the source at the ends of a span, as it was the last time: how fine cells are there hardly
 * ever changes. So it is counted while buckets are read, not after.
 */
function spanEnds() {
  let firstCellMs = finestLevel.cellMs;
  let lastCellMs = finestLevel.cellMs;
  const cellWhere = (isSo: (cellMs: number) => boolean) => levels.find(({ cellMs }) => isSo(cellMs))?.cellMs;
  return {
    expected: ({ fromMs, toMs }: Span): readonly Span[] =>
      joinSpans([
        ...(Number.isFinite(fromMs) ? [{ fromMs, toMs: Math.min(toMs, ceilMs(fromMs, firstCellMs)) }] : []),
        ...(Number.isFinite(toMs) ? [{ fromMs: Math.max(fromMs, floorMs(toMs, lastCellMs)), toMs }] : []),
      ]),
    learn: ({ fromMs, toMs }: Span, spans: readonly Span[]): void => {
      const [first, last] = [spans[0], spans.at(-1)];
      if (first?.fromMs === fromMs) {
        firstCellMs = cellWhere((cellMs) => ceilMs(fromMs, cellMs) === first.toMs) ?? firstCellMs;
      }
      if (last?.toMs === toMs) {
        lastCellMs = cellWhere((cellMs) => floorMs(toMs, cellMs) === last.fromMs) ?? lastCellMs;
      }
    },
  };
}

function isIn({ fromMs, toMs }: Span, ms: number): boolean {
  return ms >= fromMs && ms < toMs;
}

function ceilMs(ms: number, widthMs: number): number {
  return floorMs(ms + widthMs - 1, widthMs);
}

function areEqual(some: readonly Span[], others: readonly Span[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ fromMs, toMs }, index) => fromMs === others[index]?.fromMs && toMs === others[index]?.toMs)
  );
}

type Loaded = { readonly top: TopBuckets; readonly finer: ReadonlyMap<Level, Map<number, Bucket>> };

/** The coarsest buckets of the span, and the finer ones around each instant where a whole cell can't be used. */
async function loadBuckets(buckets: BucketStore, span: Span, changed: readonly number[]): Promise<Loaded> {
  const instants = [...changed, span.fromMs, span.toMs - 1].filter(Number.isFinite);
  const startsOf = (level: Level) => [...new Set(instants.map((ms) => floorMs(ms, level.widthMs)))];
  const [top, finerOf] = await Promise.all([
    buckets.loadTop(floorMs(span.fromMs, topLevel.widthMs), floorMs(span.toMs - 1, topLevel.widthMs)),
    buckets.loadLevels(new Map(levels.slice(1).map((level) => [level, startsOf(level)]))),
  ]);
  return { top, finer: finerOf(top.generation) };
}

/** Cells that together with the spans to count make up the whole span, each instant once. */
function planRead(span: Span, changed: readonly number[], { top, finer }: Loaded) {
  const tallies: Tally[] = [];
  const spans: Span[] = [];
  const changedCells = new Map(
    levels.map((level) => [level, new Set(changed.map((ms) => floorMs(ms, level.cellMs)))]),
  );

  const cover = (level: Level, { startMs, cells }: Bucket) => {
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
      if (next && finerBucket?.isCounted) cover(next, finerBucket);
      else spans.push({ fromMs: Math.max(cellMs, span.fromMs), toMs: Math.min(endMs, span.toMs) });
    }
  };

  /** Where there is no bucket. With all of them there, nothing is there but what changed. */
  const coverGap = (fromMs: number, toMs: number) => {
    const instants = changed.filter((ms) => isIn({ fromMs, toMs }, ms));
    spans.push(...(top.areAll ? instants.map((ms) => ({ fromMs: ms, toMs: ms + 1 })) : [{ fromMs, toMs }]));
  };

  let coveredMs = span.fromMs;
  for (const bucket of top.buckets.filter(({ isCounted }) => isCounted)) {
    coverGap(coveredMs, bucket.startMs);
    cover(topLevel, bucket);
    coveredMs = Math.min(span.toMs, bucket.startMs + topLevel.widthMs);
  }
  coverGap(coveredMs, span.toMs);
  return { tallies, spans: joinSpans(spans) };
}
