import type { Horizon } from '@sigcast/mongo';
import type { Bucket, BucketStore } from './bucket-store.ts';
import { below, floorMs, isIn, type Level, levels, type Span, topLevel } from './levels.ts';
import { type Loaded, type Remembered, remember } from './remembered.ts';
import type { Source } from './source.ts';
import { addTallies, isCrowded, type Measure, newestMsOf, type Tally } from './tally.ts';

/** What rollups are made of. */
export type RollupParts = {
  readonly source: Source;
  readonly buckets: BucketStore;
  /** Of the marks. */
  readonly horizon: Horizon;
  readonly now: () => Date;
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
 * Buckets are remembered, with the version they had before they were read, and so are the facts of cells that a span cuts.
 * A document's mark is taken off only after it was taken over into every bucket it belongs to, and after they then got
 * another version. So if that has not changed by when the marks have been read, then a document without one is in what is
 * remembered, or has changed only since: everything written before the call counts, as it then was. If it has changed,
 * buckets are read after the marks, which comes to the same.
 *
 * That is one trip to the store: for what changed and the version, and at the same time for buckets that are not
 * remembered. One more where something changed or facts are not remembered, and one after buckets were written. Nothing is
 * remembered before all buckets are built, as they change without a word.
 */
export function rollupReader(parts: RollupParts): (span: Span) => Promise<Tally> {
  const { buckets, source } = parts;
  let remembered: Remembered | undefined;

  /** The cells that the span cuts, as far as is remembered; what buckets it needs are remembered then. */
  const cutAsKnown = async (span: Span): Promise<readonly Span[]> =>
    remembered ? planRead(span, [], await remembered.load(span, [])).cut : [];

  return async (span) => {
    const [{ uncounted, other }, cutBefore] = await Promise.all([
      source.uncountedAnd(buckets.stateAt, parts.horizon.from(), maxChanged + 1),
      cutAsKnown(span),
    ]);
    if (uncounted.length > maxChanged) return source.tally([span]);
    const changed = uncounted.map(({ createdAtMs }) => createdAtMs).filter((ms) => isIn(span, ms));
    const state = buckets.toState(other);
    if (!state.isBuilt) remembered = undefined;
    else if (state.version !== remembered?.version) remembered = remember(parts, state);
    const known = remembered ?? remember(parts, state);
    // Most likely cut still.
    const early = known.loadFacts(cutBefore);
    early.catch(() => undefined); // it is awaited below
    const { tallies, spans, cut } = planRead(span, changed, await known.load(span, changed));
    const [facts, rest] = await Promise.all([early.then(() => known.loadFacts(cut)), source.tally(spans)]);
    const within = facts.filter(({ cellMs }) => isIn(span, cellMs));
    return addTallies(parts.measures, [...tallies, within, rest]);
  };
}

/** Whole cells that together with parts of `cut` cells and the `spans` to count make up the span, each instant once. */
function planRead(span: Span, changed: readonly number[], { top, areAll, finer }: Loaded) {
  const tallies: Tally[] = [];
  const cut: Span[] = [];
  const spans: Span[] = [];
  const changedCells = new Map(
    levels.map((level) => [level, new Set(changed.map((ms) => floorMs(ms, level.cellMs)))]),
  );

  const cover = (level: Level, { startMs, cells }: Bucket) => {
    for (let cellMs = startMs; cellMs < startMs + level.widthMs; cellMs += level.cellMs) {
      const endMs = cellMs + level.cellMs;
      if (endMs <= span.fromMs || cellMs >= span.toMs) continue;
      const tally = cells.get(cellMs) ?? [];
      const isChanged = changedCells.get(level)?.has(cellMs) ?? false;
      const newestMs = newestMsOf(tally);
      if (!isChanged && newestMs < span.fromMs) continue;
      // A span mostly ends now, and then nothing in its last cell is newer.
      const isWhole = cellMs >= span.fromMs && (endMs <= span.toMs || newestMs < span.toMs);
      if (isWhole && !isChanged) {
        tallies.push(tally);
        continue;
      }
      const next = below(level);
      const finerBucket = next && finer(next, cellMs);
      if (next && finerBucket?.isCounted) cover(next, finerBucket);
      else if (!isChanged && !isCrowded(tally)) cut.push({ fromMs: cellMs, toMs: endMs });
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
  return { tallies, cut, spans };
}
