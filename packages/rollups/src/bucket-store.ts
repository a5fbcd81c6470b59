import { randomUUID } from 'node:crypto';
import { isDuplicateKey } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import { type Level, topLevel } from './levels.ts';
import { batchSize } from './source.ts';
import type { Tally } from './tally.ts';

/** A bucket: the figures of each of its cells. A cell without facts is absent. */
export type Bucket = {
  readonly startMs: number;
  /** Another with every write, and never one again: not even that of a bucket that was dropped and made anew. */
  readonly version: string;
  /** Undefined until they are counted for the first time. */
  readonly cells: ReadonlyMap<number, Tally> | undefined;
};

/** A bucket that says something. */
export type CountedBucket = Bucket & { readonly cells: ReadonlyMap<number, Tally> };

type BucketDocument = {
  _id: string;
  start: Date;
  version: string;
  /** By the number of milliseconds at which the cell begins. */
  cells?: Record<string, Tally>;
};

/** New figures for some cells of a bucket. */
export type BucketChange = { readonly bucket: Bucket; readonly cells: ReadonlyMap<number, Tally> };

/** Beside the buckets: says that they were removed to be built again, and that this is not done yet. */
const rebuildNote = 'rebuild';

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
            { $setOnInsert: { start: new Date(startMs), version: randomUUID() } },
            { upsert: true },
          );
        } catch (error) {
          if (!isDuplicateKey(error)) throw error; // another replica made it
        }
      }
    },

    /** Removes all, after noting that they are to be built again. @returns the name of the note. */
    beginRebuild: async (): Promise<string> => {
      const version = randomUUID();
      await collection.updateOne({ _id: rebuildNote }, { $set: { version } }, { upsert: true });
      await collection.deleteMany({ _id: { $ne: rebuildNote } });
      return version;
    },

    /** The name of the note, while there is one. */
    rebuildBegun: async (): Promise<string | undefined> => (await read({ _id: rebuildNote }))[0]?.version,

    /** Takes the note away, unless yet another rebuild has begun. */
    endRebuild: async (version: string): Promise<void> => {
      await collection.deleteMany({ _id: rebuildNote, version });
    },

    /** @returns false when some had another version by now; the others were written. */
    write: async (level: Level, changes: readonly BucketChange[]): Promise<boolean> => {
      if (changes.length === 0) return true;
      const { matchedCount } = await collection.bulkWrite(
        changes.map(({ bucket, cells }) => ({
          updateOne: {
            filter: { _id: bucketId(level, bucket.startMs), version: bucket.version },
            update: cellUpdate(bucket, cells),
          },
        })),
        { ordered: false },
      );
      return matchedCount === changes.length;
    },
  };
}

function toBucket({ start, version, cells }: BucketDocument): Bucket {
  const figures = cells && Object.entries(cells).map(([cellMs, tally]) => [Number(cellMs), tally] as const);
  return { startMs: start.getTime(), version, cells: figures && new Map(figures) };
}

function bucketId(level: Level, startMs: number): string {
  return `${level.name}:${new Date(startMs).toISOString()}`;
}

function cellUpdate(bucket: Bucket, cells: ReadonlyMap<number, Tally>) {
  const version = randomUUID();
  const filled = [...cells].filter(([, tally]) => tally.length > 0);
  const empty = [...cells].filter(([, tally]) => tally.length === 0);
  if (!bucket.cells) return { $set: { version, cells: Object.fromEntries(filled) } };
  return {
    $set: { version, ...Object.fromEntries(filled.map(([ms, tally]) => [`cells.${ms}`, tally])) },
    ...(empty.length === 0
      ? {}
      : { $unset: Object.fromEntries(empty.map(([ms]) => [`cells.${ms}`, '' as const])) }),
  };
}
