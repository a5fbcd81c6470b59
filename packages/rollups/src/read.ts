import type { Bucket, BucketStore } from './bucket-store.ts';
import type { Horizon } from './horizon.ts';
import { below, floorMs, joinSpans, type Level, levels, type Span, topLevel } from './levels.ts';
import { type Loaded, type RememberedBuckets, rememberBuckets } from './remembered.ts';
import type { Source } from './source.ts';
import { addTallies, crowdedFacts, type Measure, newestMsOf, type Tally } from './tally.ts';

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
 * Buckets are remembered, with the version they had before they were read. A document's mark is taken off only after it
 * was taken over into every bucket it belongs to, and after they then got another version. So if that has not changed by
 * when the marks have been read, then a document without one is in what is remembered, or has changed only since:
 * everything written before the call counts, as it then was. If it has changed, buckets are read after the marks, which
 * comes to the same.
 *
 * That is one trip to the store: for what changed and the version, at the same time for the ends of the span and for
 * buckets that are not remembered. One more, or two, after buckets were written and where something changed: for buckets
 * and for what has to be counted. Nothing is remembered before all buckets are built, as they change without a word.
 */
export function rollupReader(parts: RollupParts): (span: Span) => Promise<Tally> {
  const { buckets, source } = parts;
  const ends = spanEnds();
  let remembered: RememberedBuckets | undefined;
  return async (span) => {
    const expected = ends.expected(span);
    const [{ uncounted, other }, counted] = await Promise.all([
      source.uncountedAnd(buckets.stateAt, parts.horizon.markedFrom(), maxChanged + 1),
      source.tallyFew(expected, expected.length * crowdedFacts),
      remembered?.load(span, []),
    ]);
    if (uncounted.length > maxChanged) return source.tally([span]);
    const changed = uncounted.map(({ createdAtMs }) => createdAtMs).filter((ms) => isIn(span, ms));
    const state = buckets.toState(other);
    if (!state.isBuilt) remembered = undefined;
    else if (state.version !== remembered?.version) remembered = rememberBuckets(buckets, state);
    const loaded = await (remembered ?? rememberBuckets(buckets, state)).load(span, changed);
    const { tallies, spans } = planRead(span, changed, loaded);
    ends.learn(span, spans);
    const rest = counted && areEqual(spans, expected) ? counted : await source.tally(spans);
    return addTallies(parts.measures, [...tallies, rest]);
  };
}

/** Lengths of spans whose ends are remembered at most. */
const maxLengths = 100;

/**
 * What has to be counted from the source at the ends of a span, as it was the last time, if anything: how fine cells are
 * there hardly ever changes. So it is counted while marks are read, not after.
 */
function spanEnds() {
  /** Widths of the cells at both ends, by the length of the span: those of one length come again and again. */
  const learned = new Map<
    number,
    { readonly first: number | undefined; readonly last: number | undefined }
  >();
  const cellWhere = (isSo: (cellMs: number) => boolean) => levels.find(({ cellMs }) => isSo(cellMs))?.cellMs;
  return {
    expected: ({ fromMs, toMs }: Span): readonly Span[] => {
      const { first, last } = learned.get(toMs - fromMs) ?? {};
      return joinSpans([
        ...(first ? [{ fromMs, toMs: Math.min(toMs, ceilMs(fromMs, first)) }] : []),
        ...(last ? [{ fromMs: Math.max(fromMs, floorMs(toMs, last)), toMs }] : []),
      ]);
    },
    learn: ({ fromMs, toMs }: Span, spans: readonly Span[]): void => {
      const [first, last] = [spans[0], spans.at(-1)];
      if (learned.size >= maxLengths) learned.clear();
      learned.set(toMs - fromMs, {
        first: cellWhere((cellMs) => first?.fromMs === fromMs && ceilMs(fromMs, cellMs) === first.toMs),
        last: cellWhere((cellMs) => last?.toMs === toMs && floorMs(toMs, cellMs) === last.fromMs),
      });
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

/** Cells that together with the spans to count make up the whole span, each instant once. */
function planRead(span: Span, changed: readonly number[], { top, areAll, finer }: Loaded) {
  const tallies: Tally[] = [];
  const spans: Span[] = [];
  const changedCells = new Map(
    levels.map((level) => [level, new Set(changed.map((ms) => floorMs(ms, level.cellMs)))]),
  );

  const cover = (level: Level, { startMs, cells }: Bucket) => {
    for (let cellMs = startMs; cellMs < startMs + level.widthMs; cellMs += level.cellMs) {
      const endMs = cellMs + level.cellMs;
      if (endMs <= span.fromMs || cellMs >= span.toMs) continue;
      const tally = cells.get(cellMs) ?? [];
      // A span mostly ends now, and then nothing in its last cell is newer.
      const isWhole = cellMs >= span.fromMs && (endMs <= span.toMs || newestMsOf(tally) < span.toMs);
      if (isWhole && !changedCells.get(level)?.has(cellMs)) {
        tallies.push(tally);
        continue;
      }
      const next = below(level);
      const finerBucket = next && finer(next, cellMs);
      if (next && finerBucket?.isCounted) cover(next, finerBucket);
      else spans.push({ fromMs: Math.max(cellMs, span.fromMs), toMs: Math.min(endMs, span.toMs) });
    }
  };

  /** Where there is no bucket. With all of them there, nothing is there but what changed. */
  const coverGap = (fromMs: number, toMs: number) => {
    const instants = changed.filter((ms) => isIn({ fromMs, toMs }, ms));
    spans.push(...(areAll ? instants.map((ms) => ({ fromMs: ms, toMs: ms + 1 })) : [{ fromMs, toMs }]));
  };

  let coveredMs = span.fromMs;
  for (const bucket of top.filter(({ isCounted }) => isCounted)) {
    coverGap(coveredMs, bucket.startMs);
    cover(topLevel, bucket);
    coveredMs = Math.min(span.toMs, bucket.startMs + topLevel.widthMs);
  }
  coverGap(coveredMs, span.toMs);
  return { tallies, spans: joinSpans(spans) };
}
