import type { SignalStatus, SignalType } from '@sigcast/contracts';
import { type IndexSpec, idBatches } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import { joinSpans, type Span } from './levels.ts';
import type { Measure, TallyEntry } from './tally.ts';

/**
 * The collection whose documents are counted. Each has `type` and `created_at`, which never change, and `status`.
 * Every write that may change a figure sets `uncounted` to a {@link Mark}, in the same step: until the figures have been
 * taken over into buckets, readers count that document's part of time from the source.
 */
export type RollupSource = {
  readonly collection: string;
  /** Name of an index that begins with `created_at`. */
  readonly index: string;
  /** The first must be `{ sum: 1 }`. */
  readonly measures: readonly Measure[];
};

/** Says of a document that it has changed since it was counted. */
export type Mark = {
  /** When the change was about to be written. */
  readonly at: Date;
  /** The revision of the document that the change makes. */
  readonly rev: number;
};

/** A document that changed since it was counted, and its mark. */
export type Uncounted = Mark & { readonly id: string; readonly createdAtMs: number };

/** Figures of one type and status, created from `cellMs` on within one cell. */
export type CellEntry = TallyEntry & { readonly cellMs: number };

type SourceDocument = { _id: string; created_at: Date; uncounted?: Mark };
type MarkedDocument = SourceDocument & Required<Pick<SourceDocument, 'uncounted'>>;

/** The index that a source needs besides: it holds only what was not counted yet. */
export const uncountedIndex: IndexSpec = {
  name: 'uncounted',
  key: { 'uncounted.at': 1 },
  partialFilterExpression: { 'uncounted.at': { $exists: true } },
};

/** Spans in one query; the development engine's planner slows down beyond some 50. */
const spansPerQuery = 32;

/** Small documents a cursor brings at once, so that it mostly ends with the first round trip. */
export const batchSize = 1_000;

export type Source = ReturnType<typeof openSource>;

/** The counted collection as the rollups read it. */
export function openSource(connection: Connection, spec: RollupSource) {
  const collection = connection.collection<SourceDocument>(spec.collection);

  const tally = async (spans: readonly Span[], widthMs: number): Promise<CellEntry[]> => {
    const groups = await collection
      .aggregate<Figures & { _id: GroupId }>(
        [{ $match: within(spans) }, { $group: group(spec.measures, widthMs) }],
        { hint: spec.index, batchSize },
      )
      .toArray();
    return groups.map((figures) => ({
      type: figures._id.type,
      status: figures._id.status,
      cellMs: figures._id.cell?.getTime() ?? 0,
      values: spec.measures.map((_, index) => figures[`m${index}`] ?? 0),
      newestMs: figures.newest.getTime(),
    }));
  };

  return {
    /** What was marked from an instant on (absent: ever) and is not counted yet, at most `limit` of it. */
    uncounted: async (markedFrom: Date | undefined, limit: number): Promise<Uncounted[]> => {
      const found = collection
        .find(marked(markedFrom), { projection: markFields, hint: uncountedIndex.name, limit, batchSize })
        .toArray();
      return (await found).filter(isMarked).map(toUncounted);
    },

    /**
     * The same, and one document of another collection, as it was no earlier than all of that. In one trip: the store
     * reads the two one after the other, or as of one instant.
     */
    uncountedAnd: async (
      other: { readonly collection: string; readonly id: string },
      markedFrom: Date | undefined,
      limit: number,
    ): Promise<{ uncounted: Uncounted[]; other: object | undefined }> => {
      const found = await collection
        .aggregate<SourceDocument>(
          [
            { $match: marked(markedFrom) },
            { $limit: limit },
            { $project: markFields },
            { $unionWith: { coll: other.collection, pipeline: [{ $match: { _id: other.id } }] } },
          ],
          // All at once, so that nothing is marked anew between two batches.
          { hint: uncountedIndex.name, batchSize: limit + 2 },
        )
        .toArray();
      return {
        uncounted: found.filter(isMarked).map(toUncounted),
        other: found.find((document) => !isMarked(document)),
      };
    },

    /**
     * Takes the mark from documents, unless they have changed again or were removed and came back. One write for many:
     * most have the same revision.
     */
    markCounted: async (counted: readonly Uncounted[]): Promise<void> => {
      for (const [rev, group] of Map.groupBy(counted, (document) => document.rev)) {
        const newest = new Date(Math.max(...group.map(({ at }) => at.getTime())));
        for (const ids of idBatches(group.map(({ id }) => id))) {
          await collection.updateMany(
            { _id: { $in: ids }, 'uncounted.rev': rev, 'uncounted.at': { $lte: newest } },
            { $unset: { uncounted: '' } },
            { hint: { _id: 1 } },
          );
        }
      }
    },

    /** Counts whole spans; figures are by cells of `widthMs`, or of all spans together without it. */
    tally: async (spans: readonly Span[], widthMs = 0): Promise<CellEntry[]> => {
      const joined = joinSpans(spans);
      const entries: CellEntry[] = [];
      for (let start = 0; start < joined.length; start += spansPerQuery) {
        entries.push(...(await tally(joined.slice(start, start + spansPerQuery), widthMs)));
      }
      return entries;
    },

    /** When the first document at or after an instant was created. */
    firstFrom: async (ms: number): Promise<number | undefined> => {
      const [first] = await collection
        .find(within([{ fromMs: ms, toMs: Number.POSITIVE_INFINITY }]), {
          projection: { created_at: 1 },
          sort: { created_at: 1 },
          limit: 1,
          hint: spec.index,
        })
        .toArray();
      return first?.created_at.getTime();
    },
  };
}

const markFields = { created_at: 1, uncounted: 1 };

function marked(from: Date | undefined) {
  return { 'uncounted.at': from === undefined ? { $exists: true } : { $gte: from } };
}

function isMarked(document: SourceDocument): document is MarkedDocument {
  return document.uncounted !== undefined;
}

function toUncounted({ _id, created_at, uncounted }: MarkedDocument): Uncounted {
  return { ...uncounted, id: _id, createdAtMs: created_at.getTime() };
}

/** By the place of the measure. */
type Figures = { readonly newest: Date; readonly [figure: `m${number}`]: number };
type GroupId = { readonly type: SignalType; readonly status: SignalStatus; readonly cell?: Date };

function within(spans: readonly Span[]) {
  const conditions = spans.map(({ fromMs, toMs }) => ({
    created_at: {
      ...(Number.isFinite(fromMs) ? { $gte: new Date(fromMs) } : {}),
      ...(Number.isFinite(toMs) ? { $lt: new Date(toMs) } : {}),
    },
  }));
  const [only] = conditions;
  if (conditions.length !== 1 || only === undefined) return { $or: conditions };
  return Object.keys(only.created_at).length === 0 ? {} : only;
}

function group(measures: readonly Measure[], widthMs: number) {
  const cell = widthMs === 0 ? {} : { cell: { $subtract: ['$created_at', millisecondsInto(widthMs)] } };
  const figures: Record<string, object> = { newest: { $max: '$created_at' } };
  for (const [index, measure] of measures.entries()) {
    figures[`m${index}`] = 'max' in measure ? { $max: measure.max } : { $sum: measure.sum };
  }
  return { _id: { type: '$type', status: '$status', ...cell }, ...figures };
}

/** How far into its cell a document was created. Never negative, not even before the epoch, unlike `$mod` alone. */
function millisecondsInto(widthMs: number) {
  const remainder = { $mod: [{ $toLong: '$created_at' }, widthMs] };
  return { $mod: [{ $add: [remainder, widthMs] }, widthMs] };
}
