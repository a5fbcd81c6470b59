import { randomUUID } from 'node:crypto';
import { idBatches, isDuplicateKey } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import { type Level, topLevel } from './levels.ts';
import { batchSize } from './source.ts';
import type { Tally } from './tally.ts';

/** A bucket: the figures of each of its cells. A cell without facts is absent. */
export type Bucket = {
  readonly generation: number;
  readonly startMs: number;
  /** Another after every write, and never one that was there before. */
  readonly version: string;
  /** False for a bucket that was only just made: it says nothing yet. */
  readonly isCounted: boolean;
  readonly cells: ReadonlyMap<number, Tally>;
};

/** What there is to say of all buckets together, as it was at one moment. */
export type BucketsState = {
  /** The newest generation: buckets of an older one don't count. */
  readonly generation: number;
  /** Whether every document without a mark was in a bucket. */
  readonly isBuilt: boolean;
  /**
   * Another whenever what is built has changed, and before the marks of what it newly counts are taken off. So who read
   * buckets when it was this, and finds it to be this still after having read the marks, has missed nothing. Without
   * meaning while not all is built.
   */
  readonly version: string | undefined;
};

/** Buckets of the coarsest level, earliest first, of the generation that was the newest by then. */
export type TopBuckets = { readonly state: BucketsState; readonly buckets: readonly Bucket[] };

type BucketDocument = {
  _id: string;
  /** A bucket of an older generation than the newest is as good as absent. */
  generation: number;
  start: Date;
  version: string;
  counted: boolean;
  /** By the number of milliseconds at which the cell begins. */
  cells: Record<string, Tally>;
};

/**
 * The newest generation, and whether it has buckets for all that the collection held. Clearing the buckets is to begin
 * another: nobody takes a bucket of an older one for one of it, whenever it was read, and removing those is mere tidying.
 */
type StateDocument = { _id: string; generation: number; built: boolean; version?: string };

/** Behind all buckets of the coarsest level in the order of identifiers. */
const stateId = `${topLevel.name}:built`;

/** New figures for some cells of a bucket. */
export type BucketChange = { readonly bucket: Bucket; readonly cells: ReadonlyMap<number, Tally> };

export type BucketStore = ReturnType<typeof openBucketStore>;

/** The buckets of one generation. */
export type Generation = ReturnType<BucketStore['of']>;

/** The buckets as they are stored. */
export function openBucketStore(connection: Connection, name: string) {
  const collection = connection.collection<BucketDocument>(name);
  const states = connection.collection<StateDocument>(name);

  /** Those that exist of these, of any generation: by their level, and by their beginnings. */
  const loadLevels = async (
    wanted: ReadonlyMap<Level, readonly number[]>,
  ): Promise<ReadonlyMap<Level, ReadonlyMap<number, Bucket>>> => {
    const ids = [...wanted].flatMap(([level, starts]) => starts.map((startMs) => bucketId(level, startMs)));
    const loading = [...idBatches(ids)].map((some) =>
      collection.find({ _id: { $in: some } }, { batchSize }).toArray(),
    );
    const found = new Map(
      (await Promise.all(loading)).flat().map((document) => [document._id, document] as const),
    );
    return new Map(
      [...wanted].map(([level, starts]) => [
        level,
        byStart(starts.flatMap((startMs) => found.get(bucketId(level, startMs)) ?? []).map(toBucket)),
      ]),
    );
  };

  return {
    loadLevels,

    /** All of the coarsest level that begin at an instant or later. */
    loadTop: async (fromMs: number): Promise<TopBuckets> => {
      // The state is read last, so that of a generation that has ended since no bucket counts.
      const from = Number.isFinite(fromMs) ? bucketId(topLevel, fromMs) : `${topLevel.name}:`;
      const found = await connection
        .collection<BucketDocument | StateDocument>(name)
        .find({ _id: { $gte: from, $lte: stateId } }, { batchSize })
        .toArray();
      const state = toState(found.find((document) => !isBucket(document)));
      const own = found.filter(isBucket).filter(({ generation }) => generation === state.generation);
      return { state, buckets: own.map(toBucket).sort((a, b) => a.startMs - b.startMs) };
    },

    /** Where the state is stored, for who reads it with something else. */
    stateAt: { collection: name, id: stateId },
    toState,

    /** The newest generation. */
    generation: async (): Promise<number> => {
      const [state] = await states.find({ _id: stateId }).toArray();
      return toState(state).generation;
    },

    /** Makes another version: whoever remembers buckets reads them again. */
    renew: async (): Promise<void> => {
      try {
        await states.updateOne(
          { _id: stateId },
          { $set: { version: randomUUID() }, $setOnInsert: { generation: 0, built: false } },
          { upsert: true },
        );
      } catch (error) {
        // It was made just now, which no reader can have known before.
        if (!isDuplicateKey(error)) throw error;
      }
    },

    of: (generation: number) => ({
      /** Those that exist of one level's buckets, by their beginnings. */
      load: async (level: Level, starts: readonly number[]): Promise<ReadonlyMap<number, Bucket>> => {
        const found = (await loadLevels(new Map([[level, starts]]))).get(level) ?? new Map<number, Bucket>();
        return byStart([...found.values()].filter((bucket) => bucket.generation === generation));
      },

      /** Makes those that don't exist, to be counted, in the place of older ones. */
      create: async (level: Level, starts: readonly number[]): Promise<void> => {
        for (const startMs of starts) {
          const made = {
            generation,
            start: new Date(startMs),
            version: randomUUID(),
            counted: false,
            cells: {},
          };
          try {
            await collection.updateOne(
              { _id: bucketId(level, startMs), generation: { $not: { $gte: generation } } },
              { $set: made },
              { upsert: true },
            );
          } catch (error) {
            if (!isDuplicateKey(error)) throw error; // it is there, or one of a newer generation
          }
        }
      },

      /** @returns false when some had another version by now; the others were written. */
      write: async (level: Level, changes: readonly BucketChange[]): Promise<boolean> => {
        if (changes.length === 0) return true;
        const { matchedCount } = await collection.bulkWrite(
          changes.map(({ bucket, cells }) => ({
            updateOne: {
              filter: { _id: bucketId(level, bucket.startMs), version: bucket.version },
              update: cellUpdate(cells),
            },
          })),
          { ordered: false },
        );
        return matchedCount === changes.length;
      },
    }),

    /** Begins a generation, and removes those before. */
    clear: async (): Promise<void> => {
      const state = await states.findOneAndUpdate(
        { _id: stateId },
        { $inc: { generation: 1 }, $set: { built: false } },
        { upsert: true, returnDocument: 'after' },
      );
      const older = { $not: { $gte: state?.generation ?? 0 } };
      await collection.deleteMany({ _id: { $ne: stateId }, generation: older });
    },

    /** The generation to build; undefined when that was done. */
    beginBuild: async (): Promise<number | undefined> => {
      const state = await states.findOneAndUpdate(
        { _id: stateId },
        { $setOnInsert: { generation: 0, built: false } },
        { upsert: true, returnDocument: 'after' },
      );
      return state?.built ? undefined : (state?.generation ?? 0);
    },

    /** Says that a generation is built. @returns false when another has begun since. */
    finishBuild: async (generation: number): Promise<boolean> => {
      const { matchedCount } = await states.updateOne(
        { _id: stateId, generation },
        { $set: { built: true, version: randomUUID() } },
      );
      return matchedCount === 1;
    },
  };
}

function toState(stored: object | undefined): BucketsState {
  const { generation = 0, built = false, version } = (stored ?? {}) as Partial<StateDocument>;
  return { generation, isBuilt: built, version };
}

function isBucket(document: BucketDocument | StateDocument): document is BucketDocument {
  return document._id !== stateId;
}

function byStart(buckets: readonly Bucket[]): ReadonlyMap<number, Bucket> {
  return new Map(buckets.map((bucket) => [bucket.startMs, bucket]));
}

function toBucket({ generation, start, version, counted, cells }: BucketDocument): Bucket {
  const figures = Object.entries(cells).map(([cellMs, tally]) => [Number(cellMs), tally] as const);
  return { generation, startMs: start.getTime(), version, isCounted: counted, cells: new Map(figures) };
}

function bucketId(level: Level, startMs: number): string {
  return `${level.name}:${new Date(startMs).toISOString()}`;
}

function cellUpdate(cells: ReadonlyMap<number, Tally>) {
  const filled = [...cells].filter(([, tally]) => tally.length > 0);
  const empty = [...cells].filter(([, tally]) => tally.length === 0);
  return {
    $set: {
      version: randomUUID(),
      counted: true,
      ...Object.fromEntries(filled.map(([ms, tally]) => [`cells.${ms}`, tally])),
    },
    ...(empty.length === 0
      ? {}
      : { $unset: Object.fromEntries(empty.map(([ms]) => [`cells.${ms}`, '' as const])) }),
  };
}
