import type { Bucket, BucketStore, TopBuckets } from './bucket-store.ts';
import { floorMs, type Level, levels, type Span, topLevel } from './levels.ts';

/** Finer buckets remembered at once; when there are more, they are read again as they are needed. */
const maxFiner = 500;

/** The coarsest buckets, and the finer ones around some instants, of the same generation. */
export type Loaded = TopBuckets & {
  readonly finer: (level: Level, startMs: number) => Bucket | undefined;
};

export type RememberedBuckets = ReturnType<typeof rememberBuckets>;

/**
 * Buckets that were read since their version was this, and which of them there were none of. They are good for whoever
 * finds it to be this still after having read what changed.
 */
export function rememberBuckets(store: BucketStore, version: string | undefined) {
  let top: { readonly fromMs: number; readonly found: TopBuckets } | undefined;
  let finer = new Map<string, Bucket | undefined>();
  const key = (level: Level, startMs: number) => `${level.name}:${startMs}`;

  const loadTop = async ({ fromMs, toMs }: Span): Promise<TopBuckets> => {
    const firstMs = floorMs(fromMs, topLevel.widthMs);
    const known =
      top && top.fromMs <= firstMs ? top : { fromMs: firstMs, found: await store.loadTop(firstMs) };
    top = known;
    const { buckets, ...rest } = known.found;
    return { ...rest, buckets: buckets.filter(({ startMs }) => startMs >= firstMs && startMs < toMs) };
  };

  const loadFiner = async (instants: readonly number[]) => {
    if (finer.size > maxFiner) finer = new Map();
    const known = finer;
    const missing = levels.slice(1).map((level) => {
      const starts = new Set(instants.map((ms) => floorMs(ms, level.widthMs)));
      return [level, [...starts].filter((startMs) => !known.has(key(level, startMs)))] as const;
    });
    const loaded = await store.loadLevels(new Map(missing));
    for (const [level, starts] of missing) {
      for (const startMs of starts) known.set(key(level, startMs), loaded.get(level)?.get(startMs));
    }
    return known;
  };

  return {
    version,
    /** The buckets of a span, and the finer ones around each instant where a whole cell can't be used. */
    load: async (span: Span, changed: readonly number[]): Promise<Loaded> => {
      const instants = [...changed, span.fromMs, span.toMs - 1].filter(Number.isFinite);
      const [coarsest, known] = await Promise.all([loadTop(span), loadFiner(instants)]);
      return {
        ...coarsest,
        finer: (level, startMs) => {
          const bucket = known.get(key(level, startMs));
          return bucket?.generation === coarsest.generation ? bucket : undefined;
        },
      };
    },
  };
}
