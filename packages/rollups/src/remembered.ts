import type { Bucket, BucketStore, BucketsState, TopBuckets } from './bucket-store.ts';
import { floorMs, type Level, levels, type Span, topLevel } from './levels.ts';

/** When more finer buckets than this are remembered, they are forgotten. */
const maxFiner = 500;

/** The coarsest buckets of a span, earliest first, and the finer ones around some instants. */
export type Loaded = {
  readonly top: readonly Bucket[];
  readonly finer: (level: Level, startMs: number) => Bucket | undefined;
  /** True when every document without a mark is in a bucket, so that there is nothing between them. */
  readonly areAll: boolean;
};

export type RememberedBuckets = ReturnType<typeof rememberBuckets>;

/**
 * Buckets that were read since their state was this, and which of them there were none of. They are good for whoever
 * finds the version to be the same still after having read what changed.
 */
export function rememberBuckets(store: BucketStore, state: BucketsState) {
  let top: { readonly fromMs: number; readonly found: TopBuckets } | undefined;
  let finer = new Map<string, Bucket | undefined>();
  const key = (level: Level, startMs: number) => `${level.name}:${startMs}`;

  const loadTop = async (fromMs: number): Promise<TopBuckets> => {
    const known = top && top.fromMs <= fromMs ? top : { fromMs, found: await store.loadTop(fromMs) };
    top = known;
    return known.found;
  };

  const loadFiner = async (instants: readonly number[]) => {
    const known = finer;
    const missing = levels.slice(1).map((level) => {
      const starts = new Set(instants.map((ms) => floorMs(ms, level.widthMs)));
      return [level, [...starts].filter((startMs) => !known.has(key(level, startMs)))] as const;
    });
    const loaded = await store.loadLevels(new Map(missing));
    for (const [level, starts] of missing) {
      for (const startMs of starts) known.set(key(level, startMs), loaded.get(level)?.get(startMs));
    }
    if (known.size > maxFiner) finer = new Map();
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
  };
}
