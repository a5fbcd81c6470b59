import { isDuplicateKey } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import { type Level, topLevel } from './levels.ts';
import { batchSize } from './source.ts';
import type { Tally } from './tally.ts';

/** A bucket: the figures of each of its cells. A cell without facts is absent. */
export type Bucket = {
  readonly startMs: number;
  /** Counts the writes; 0 until the cells were counted for the first time. */
  readonly version: number;
  readonly cells: ReadonlyMap<number, Tally>;
};

type BucketDocument = {
  _id: string;
  start: Date;
  version: number;
  /** By the number of milliseconds at which the cell begins. */
  cells: Record<string, Tally>;
};

/** New figures for some cells of a bucket. */
export type BucketChange = { readonly bucket: Bucket; readonly cells: ReadonlyMap<number, Tally> };

/** Identifiers in one query; see the signals' store for why not more. */
const idsPerQuery = 100;

export type BucketStore = ReturnType<typeof openBucketStore>;

/** The buckets as they are stored. */
export function openBucketStore(connection: Connection, name: string) {
  const collection = connection.collection<BucketDocument>(name);
  const read = (filter: object): Promise<BucketDocument[]> =>
    collection.find(filter, { batchSize }).toArray();

  /** Those that exist, of each level by their beginnings. */
  const loadLevels = async (wanted: ReadonlyMap<Level, readonly number[]>) => {
    const ids = [...wanted].flatMap(([level, starts]) => starts.map((startMs) => bucketId(level, startMs)));
    const chunks: Promise<readonly BucketDocument[]>[] = [];
    for (let from = 0; from < ids.length; from += idsPerQuery) {
      chunks.push(read({ _id: { $in: ids.slice(from, from + idsPerQuery) } }));
    }
    const found = new Map((await Promise.all(chunks)).flat().map((document) => [document._id, document]));
    return new Map(
      [...wanted].map(([level, starts]) => {
        const own = starts.flatMap((startMs) => found.get(bucketId(level, startMs)) ?? []);
        return [level, new Map(own.map(toBucket).map((bucket) => [bucket.startMs, bucket]))];
      }),
    );
  };

  return {
    loadLevels,

    /** Those that exist of one level's buckets, by their beginnings. */
    load: async (level: Level, starts: readonly number[]): Promise<Map<number, Bucket>> =>
      (await loadLevels(new Map([[level, starts]]))).get(level) ?? new Map<number, Bucket>(),

    /** All of the coarsest level that begin from one instant up to another, earliest first. */
    loadTop: async (fromMs: number, toMs: number): Promise<Bucket[]> => {
      const buckets = await read({
        _id: {
          $gte: Number.isFinite(fromMs) ? bucketId(topLevel, fromMs) : `${topLevel.name}:`,
          $lte: Number.isFinite(toMs) ? bucketId(topLevel, toMs) : `${topLevel.name};`,
        },
      });
      return buckets.map(toBucket).sort((a, b) => a.startMs - b.startMs);
    },

    /** Makes those that don't exist, to be counted. */
    create: async (level: Level, starts: readonly number[]): Promise<void> => {
      for (const startMs of starts) {
        try {
          await collection.updateOne(
            { _id: bucketId(level, startMs) },
            { $setOnInsert: { start: new Date(startMs), version: 0, cells: {} } },
            { upsert: true },
          );
        } catch (error) {
          if (!isDuplicateKey(error)) throw error; // another replica made it
        }
      }
    },

    /** Removes all. */
    clear: async (): Promise<void> => {
      await collection.deleteMany({});
    },

    /** @returns false when some had another version by now; the others were written. */
    write: async (level: Level, changes: readonly BucketChange[]): Promise<boolean> => {
      if (changes.length === 0) return true;
      const { matchedCount } = await collection.bulkWrite(
        changes.map(({ bucket, cells }) => ({
          updateOne: {
            filter: { _id: bucketId(level, bucket.startMs), version: bucket.version },
            update: cellUpdate(bucket.version + 1, cells),
          },
        })),
        { ordered: false },
      );
      return matchedCount === changes.length;
    },
  };
}

function toBucket({ start, version, cells }: BucketDocument): Bucket {
  const figures = Object.entries(cells).map(([cellMs, tally]) => [Number(cellMs), tally] as const);
  return { startMs: start.getTime(), version, cells: new Map(figures) };
}

function bucketId(level: Level, startMs: number): string {
  return `${level.name}:${new Date(startMs).toISOString()}`;
}

function cellUpdate(version: number, cells: ReadonlyMap<number, Tally>) {
  const filled = [...cells].filter(([, tally]) => tally.length > 0);
  const empty = [...cells].filter(([, tally]) => tally.length === 0);
  return {
    $set: { version, ...Object.fromEntries(filled.map(([ms, tally]) => [`cells.${ms}`, tally])) },
    ...(empty.length === 0
      ? {}
      : { $unset: Object.fromEntries(empty.map(([ms]) => [`cells.${ms}`, '' as const])) }),
  };
}
