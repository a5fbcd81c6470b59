import type { SignalStatus, SignalType } from '@sigcast/contracts';
import { type IndexSpec, idBatches } from '@sigcast/mongo';
import type { Connection, mongo } from 'mongoose';
import type { DistributionSources } from './distribution.ts';
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
  /** Sums by key, for figures such as counts by value. */
  readonly distributions?: DistributionSources | undefined;
};

/**
 * The dirty flag of a document that changed since it was counted. `before` is the counted state: the fields as they were,
 * or empty for a document that was never counted. Only a refresh removes the flag or changes `before`. So a document
 * alone always says what is counted of it.
 */
export type Dirty = { readonly at: Date; readonly before: Readonly<Record<string, unknown>> };

/** A document of the source as it is, and the state that the aggregates count of it (undefined: none yet). */
export type Fact = Counted & {
  readonly id: string;
  readonly type: SignalType;
  readonly createdAtMs: number;
  /** Since when the document has been dirty; absent when it is not. */
  readonly dirtyAt: Date | undefined;
  readonly counted: Counted | undefined;
};

/** A document that is dirty, and since when. */
type DirtySince = { readonly id: string; readonly dirtyAt: Date };

type SourceDocument = {
  _id: string;
  type: SignalType;
  status: SignalStatus;
  created_at: Date;
  rev: number;
  dirty?: Dirty;
};

/** The index of dirty documents, which every source needs. */
export const dirtyIndex: IndexSpec = {
  name: 'dirty',
  key: { 'dirty.at': 1 },
  partialFilterExpression: { 'dirty.at': { $exists: true } },
};

/** The expression for `dirty` in an update pipeline. */
export function dirtyExpression({ fields }: Pick<AggregateSource, 'fields'>): object {
  const before = Object.fromEntries(['rev', 'status', ...fields].map((field) => [field, `$${field}`]));
  return { $ifNull: ['$dirty', { at: '$$NOW', before }] };
}

/** Large enough that a cursor usually ends with the first round trip. */
const batchSize = 100_000;

export type Source = ReturnType<typeof openSource>;

/** The counted collection as the aggregates read it. */
export function openSource(connection: Connection, spec: AggregateSource) {
  const collection = connection.collection<SourceDocument>(spec.collection);
  const fields = ['type', 'status', 'created_at', 'rev', 'dirty', ...spec.fields];
  const projection = Object.fromEntries(fields.map((field) => [field, 1]));
  const toState = (from: Readonly<Record<string, unknown>>): State => ({
    status: from.status as SignalStatus,
    // NaN where the field is missing; Number(null) would be 0.
    numbers: spec.fields.map((field) => Number(from[field] ?? undefined)),
  });
  const toFact = (document: SourceDocument): Fact => {
    const { _id: id, type, created_at, rev, dirty } = document;
    const now: Counted = { rev, state: toState(document) };
    const before = dirty?.before;
    const counted = before && (before.rev === undefined ? undefined : toCounted(before));
    return {
      id,
      type,
      createdAtMs: created_at.getTime(),
      dirtyAt: dirty?.at,
      ...now,
      counted: dirty ? counted : now,
    };
  };
  const toCounted = (before: Dirty['before']): Counted => ({
    rev: Number(before.rev),
    state: toState(before),
  });
  const read = async (filter: mongo.Filter<SourceDocument>, options: mongo.FindOptions) => {
    // eslint-disable-next-line no-restricted-syntax -- each read has an order: of creation, which never changes, or of becoming dirty
    const documents = await collection.find(filter, { projection, batchSize, ...options }).toArray();
    return documents.map(toFact);
  };
  const areDirty = { 'dirty.at': { $exists: true } };
  // The sort makes the development engine skip index entries of documents that are clean again.
  const inOrder = { hint: dirtyIndex.name, sort: { 'dirty.at': 1 } } as const;

  return {
    /** The documents that became dirty from an instant on (undefined: all dirty documents). */
    dirty: (from: Date | undefined): Promise<readonly Fact[]> =>
      read(from ? { 'dirty.at': { $gte: from } } : areDirty, inOrder),

    /** The number of dirty documents, at most `limit`. */
    countDirty: async (limit: number): Promise<number> => {
      // eslint-disable-next-line no-restricted-syntax -- a number that only bounds the work
      const options = { projection: { _id: 1 }, ...inOrder, limit, batchSize };
      return (await collection.find(areDirty, options).toArray()).length;
    },

    /** The documents created from one instant on, before another. */
    createdIn: (fromMs: number, toMs: number): Promise<readonly Fact[]> =>
      read(
        { created_at: { $gte: new Date(fromMs), $lt: new Date(toMs) } },
        { hint: spec.index, sort: { created_at: 1 } },
      ),

    /** The creation time of the document after `skip` others, counted from an instant on. */
    createdAfter: async (fromMs: number, skip: number): Promise<number | undefined> => {
      const from = { created_at: { $gte: new Date(fromMs) } };
      const [found] = await collection
        .find(from, {
          projection: { created_at: 1 },
          sort: { created_at: 1 },
          hint: spec.index,
          skip,
          limit: 1,
        })
        .toArray();
      return found?.created_at.getTime();
    },

    /**
     * Records in the documents that these states are counted. Clears the dirty flag of a document at the same revision;
     * of a document that changed again, sets `before` to the counted state. Harmless when repeated or late.
     */
    markCounted: async (counted: readonly (Counted & DirtySince)[]): Promise<void> => {
      // One command, with a statement for each revision; by id, as those who write many documents at once.
      const byId = counted.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const clean = [...Map.groupBy(byId, ({ rev }) => rev)].flatMap(([rev, group]) => {
        // A document that was removed and inserted again became dirty later.
        const until = new Date(Math.max(...group.map(({ dirtyAt }) => dirtyAt.getTime())));
        return [...idBatches(group.map(({ id }) => id))].map((ids) => ({
          updateMany: {
            filter: { _id: { $in: [...ids] }, rev, 'dirty.at': { $lte: until } },
            update: { $unset: { dirty: '' as const } },
            hint: { _id: 1 },
          },
        }));
      });
      const { matchedCount } = await collection.bulkWrite(clean, { ordered: false });
      if (matchedCount === counted.length) return;
      const moved = counted.map(({ id, rev, state, dirtyAt }) => ({
        updateOne: {
          filter: {
            _id: id,
            rev: { $gt: rev },
            'dirty.at': dirtyAt,
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
    // A document may lack some fields.
    const known = numbers.filter(([, number]) => number !== undefined && !Number.isNaN(number));
    return { rev, status: state.status, ...Object.fromEntries(known) };
  }
}
