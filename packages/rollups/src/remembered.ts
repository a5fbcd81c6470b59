import type { Bucket, BucketStore, BucketsState, TopBuckets } from './bucket-store.ts';
import { floorMs, isIn, type Level, levels, type Span, topLevel } from './levels.ts';
import type { CellEntry, Source } from './source.ts';
import { isCrowded } from './tally.ts';

/** When more finer buckets than this are remembered, they are forgotten. */
const maxFiner = 500;
/** When more facts than this would be remembered, those before are forgotten. */
const maxFacts = 20_000;

/** The coarsest buckets of a span, earliest first, and the finer ones around some instants. */
export type Loaded = {
  readonly top: readonly Bucket[];
  readonly finer: (level: Level, startMs: number) => Bucket | undefined;
  /** True when every document without a mark is in a bucket, so that there is nothing between them. */
  readonly areAll: boolean;
};

export type Remembered = ReturnType<typeof remember>;

/**
 * Buckets that were read since their state was this, which of them there were none of, and the facts of some cells. They
 * are good for whoever finds the version to be the same still after having read what changed.
 */
export function remember(
  { buckets: store, source }: { readonly buckets: BucketStore; readonly source: Source },
  state: BucketsState,
) {
  let top: { readonly fromMs: number; readonly found: TopBuckets } | undefined;
  let finer = new Map<string, Bucket | undefined>();
  let facts = { cells: new Map<string, readonly CellEntry[]>(), count: 0 };
  const key = (level: Level, startMs: number) => `${level.name}:${startMs}`;
  const cellKey = ({ fromMs, toMs }: Span) => `${fromMs}:${toMs}`;

  const loadTop = async (fromMs: number): Promise<TopBuckets> => {
    const known = top && top.fromMs <= fromMs ? top : { fromMs, found: await store.loadTop(fromMs) };
    top = known;
    return known.found;
  };

  /** What is not known of the finer buckets around an instant; below a cell that is not crowded there are none to use. */
  function* missingAt(ms: number): Generator<readonly [Level, number]> {
    const topMs = floorMs(ms, topLevel.widthMs);
    let isKnown = top !== undefined && top.fromMs <= topMs;
    let bucket = top?.found.buckets.find(({ startMs }) => startMs === topMs);
    for (const level of levels.slice(1)) {
      const startMs = floorMs(ms, level.widthMs);
      if (isKnown && !isCrowded(bucket?.cells.get(startMs) ?? [])) return;
      isKnown &&= finer.has(key(level, startMs));
      if (isKnown) bucket = finer.get(key(level, startMs));
      else yield [level, startMs];
    }
  }

  const loadFiner = async (instants: readonly number[]) => {
    if (finer.size > maxFiner) finer = new Map();
    const known = finer;
    const missing = Map.groupBy(
      instants.flatMap((ms) => [...missingAt(ms)]),
      ([level]) => level,
    );
    const starts = new Map(
      [...missing].map(([level, some]) => [level, [...new Set(some.map(([, startMs]) => startMs))]]),
    );
    const loaded = await store.loadLevels(starts);
    for (const [level, some] of starts) {
      for (const startMs of some) known.set(key(level, startMs), loaded.get(level)?.get(startMs));
    }
    return known;
  };

  return {
    version: state.version,
    /** The buckets of a span, and the finer ones around each instant where a whole cell can't be used. */
    load: async (span: Span, changed: readonly number[]): Promise<Loaded> => {
      const firstMs = floorMs(span.fromMs, topLevel.widthMs);
      const instants = [...changed, span.fromMs, span.toMs - 1].filter(Number.isFinite);
      const [found, known] = await Promise.all([loadTop(firstMs), loadFiner(instants)]);
      const { generation, isBuilt } = found.state;
      return {
        top: found.buckets.filter(({ startMs }) => startMs >= firstMs && startMs < span.toMs),
        finer: (level, startMs) => {
          const bucket = known.get(key(level, startMs));
          return bucket?.generation === generation ? bucket : undefined;
        },
        // Before they were read and after: a build that ended meanwhile may have made some behind the reader's back.
        areAll: state.isBuilt && isBuilt && state.generation === generation,
      };
    },
    /** The figures of cells' facts by the millisecond: `cellMs` is when they were created. */
    loadFacts: async (cells: readonly Span[]): Promise<readonly CellEntry[]> => {
      if (facts.count > maxFacts) facts = { cells: new Map(), count: 0 };
      const known = facts;
      const missing = cells.filter((cell) => !known.cells.has(cellKey(cell)));
      const loaded = await source.tally(missing, 1);
      for (const cell of missing) {
        known.cells.set(
          cellKey(cell),
          loaded.filter(({ cellMs }) => isIn(cell, cellMs)),
        );
      }
      known.count += loaded.length;
      return cells.flatMap((cell) => known.cells.get(cellKey(cell)) ?? []);
    },
  };
}
