import type { SignalStatus, SignalType } from '@sigcast/contracts';
import { type IndexSpec, idBatches } from '@sigcast/mongo';
import type { Connection, mongo } from 'mongoose';
import type { AmountsOf } from './distribution.ts';
import type { Counted, Measure, State } from './figures.ts';

/**
 * The collection whose documents are counted. Each has `type` and `created_at`, which never change, `status`, and `rev`,
 * which grows with every change. A write that may change a figure sets `dirty` in the same step, see {@link Dirty}.
 */
export type AggregateSource = {
  readonly collection: string;
  /** Name of an index that begins with `created_at` and holds no field that changes, or a scan may miss a document. */
  readonly index: string;
  /** Further fields, numbers, that the measures need. */
  readonly fields: readonly string[];
  readonly measures: readonly Measure[];
  /**
   * What a document adds to sums by key, for figures such as counts by value. A later version may add fields at the end:
   * where a state lacks them, undefined says so.
   */
  readonly distribution?: AmountsOf | undefined;
};

/**
 * Says of a document that it changed since it was counted. `before` is what the aggregates count of it: the fields as they
 * were, or nothing for a document that was not counted yet. Only a refresh takes it off or moves `before` on; a further
 * change leaves it as it is. So what is counted of a document is known at any time from the document alone.
 */
export type Dirty = { readonly at: Date; readonly before: Readonly<Record<string, unknown>> };

/** A document as it is, and what the aggregates count of it (undefined: nothing yet). */
export type Fact = Counted & {
  readonly id: string;
  readonly type: SignalType;
  readonly createdAtMs: number;
  /** Since when it has been dirty; absent when it is not. */
  readonly dirtyAt: Date | undefined;
  readonly counted: Counted | undefined;
};

/** A document that is dirty, and since when. */
export type DirtySince = { readonly id: string; readonly dirtyAt: Date };

type SourceDocument = {
  _id: string;
  type: SignalType;
  status: SignalStatus;
  created_at: Date;
  rev: number;
  dirty?: Dirty;
};

/** The index that a source needs besides: it holds only dirty documents. */
export const dirtyIndex: IndexSpec = {
  name: 'dirty',
  key: { 'dirty.at': 1 },
  partialFilterExpression: { 'dirty.at': { $exists: true } },
};

/** What to set `dirty` to in an update that is a pipeline. */
export function dirtyExpression({ fields }: Pick<AggregateSource, 'fields'>): object {
  const before = Object.fromEntries(['rev', 'status', ...fields].map((field) => [field, `$${field}`]));
  return { $ifNull: ['$dirty', { at: '$$NOW', before }] };
}

/** Documents that a cursor brings at once, so that it mostly ends with the first round trip. */
const batchSize = 100_000;

export type Source = ReturnType<typeof openSource>;

/** The counted collection as the aggregates read it. */
export function openSource(connection: Connection, spec: AggregateSource) {
  const collection = connection.collection<SourceDocument>(spec.collection);
  const fields = ['type', 'status', 'created_at', 'rev', 'dirty', ...spec.fields];
  const projection = Object.fromEntries(fields.map((field) => [field, 1]));
  const toState = (from: Readonly<Record<string, unknown>>): State => ({
    status: from.status as SignalStatus,
    // NaN where it is not known; Number(null) would be 0.
    numbers: spec.fields.map((field) => Number(from[field] ?? undefined)),
  });
  const toFact = (document: SourceDocument): Fact => {
    const { _id: id, type, created_at, rev, dirty } = document;
    const now: Counted = { rev, state: toState(document) };
    const before = dirty?.before;
    const counted = before && (before.rev === undefined ? undefined : toCounted(before));
    return {
      ...{ id, type, createdAtMs: created_at.getTime(), dirtyAt: dirty?.at, ...now },
      counted: dirty ? counted : now,
    };
  };
  const toCounted = (before: Dirty['before']): Counted => ({
    rev: Number(before.rev),
    state: toState(before),
  });
  const read = async (filter: mongo.Filter<SourceDocument>, hint: string) => {
    const documents = await collection.find(filter, { projection, hint, batchSize }).toArray();
    return documents.map(toFact);
  };

  return {
    /** Those that became dirty from an instant on (absent: ever). */
    dirty: (from: Date | undefined): Promise<readonly Fact[]> =>
      read({ 'dirty.at': from ? { $gte: from } : { $exists: true } }, dirtyIndex.name),

    /** How many are dirty, counted to `limit` at most. */
    countDirty: async (limit: number): Promise<number> => {
      const options = { projection: { _id: 1 }, hint: dirtyIndex.name, limit, batchSize };
      return (await collection.find({ 'dirty.at': { $exists: true } }, options).toArray()).length;
    },

    /** Those created from one instant on, before another. */
    createdIn: (fromMs: number, toMs: number): Promise<readonly Fact[]> =>
      read({ created_at: { $gte: new Date(fromMs), $lt: new Date(toMs) } }, spec.index),

    /** When the document was created that comes after `skip` others, of those created from an instant on. */
    createdAfter: async (fromMs: number, skip: number): Promise<number | undefined> => {
      const from = { created_at: { $gte: new Date(fromMs) } };
      const [found] = await collection
        .find(from, {
          ...{ projection: { created_at: 1 }, sort: { created_at: 1 } },
          ...{ hint: spec.index, skip, limit: 1 },
        })
        .toArray();
      return found?.created_at.getTime();
    },

    /**
     * Notes in the documents that these states are counted now: a document that is still at that revision is clean, of
     * one that changed again it is what it was before. Repeated, early or late, it changes nothing.
     */
    markCounted: async (counted: readonly (Counted & DirtySince)[]): Promise<void> => {
      let cleaned = 0;
      for (const [rev, group] of Map.groupBy(counted, (each) => each.rev)) {
        // One that was removed and came back is dirty since later.
        const until = new Date(Math.max(...group.map(({ dirtyAt }) => dirtyAt.getTime())));
        for (const ids of idBatches(group.map(({ id }) => id))) {
          const { matchedCount } = await collection.updateMany(
            { _id: { $in: [...ids] }, rev, 'dirty.at': { $lte: until } },
            { $unset: { dirty: '' } },
            { hint: { _id: 1 } },
          );
          cleaned += matchedCount;
        }
      }
      if (cleaned === counted.length) return;
      const moved = counted.map(({ id, rev, state, dirtyAt }) => ({
        updateOne: {
          filter: {
            ...{ _id: id, rev: { $gt: rev }, 'dirty.at': dirtyAt },
            'dirty.before.rev': { $not: { $gte: rev } },
          },
          update: { $set: { 'dirty.before': toBefore({ rev, state }) } },
        },
      }));
      await collection.bulkWrite(moved, { ordered: false });
    },
  };

  function toBefore({ rev, state }: Counted): Record<string, unknown> {
    const numbers = spec.fields.map((field, index) => [field, state.numbers[index]] as const);
    // A state that a process of an earlier version noted lacks some.
    const known = numbers.filter(([, number]) => number !== undefined && !Number.isNaN(number));
    return { rev, status: state.status, ...Object.fromEntries(known) };
  }
}
