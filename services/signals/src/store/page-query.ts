import { type SignalStatus, type SignalType, signalStatuses, signalTypes } from '@sigcast/contracts';
import type { Position, SignalFilter, SignalStore } from '../domain/ports.ts';
import { indexNames, type SignalDocument, type SignalModel } from './signal-document.ts';

type PageQuery = Parameters<SignalStore['page']>[0];

/** What a list shows of a document. */
type ListedDocument = Omit<SignalDocument, 'outbox' | 'idempotency'>;

/**
 * A filter that an index answers in the order of lists, without reading what does not match: one type or all of them,
 * one status or all of them.
 */
type Branch = { readonly type?: SignalType; readonly status?: SignalStatus };

/**
 * Statuses in the order in which signals go through them. Branches are read in this order: a signal that is no longer
 * in one of them is found in a later one, so that none is missed that changes meanwhile.
 */
const stages: readonly (readonly SignalStatus[])[] = [['active'], ['winner', 'dead'], ['rugged']];

/**
 * The documents of a page, in order. Several types or statuses are several bounded queries, whose results are merged:
 * as one query they would be sorted, or what does not match read through.
 */
export async function readPage(model: SignalModel, query: PageQuery): Promise<readonly ListedDocument[]> {
  const { filter, after, skip, limit } = query;
  const waves = branchWaves(filter);
  const [wave = [], ...others] = waves;
  const [branch] = wave;
  if (branch && wave.length === 1 && others.length === 0) {
    return readBranch(model, branch, { filter, after, skip, limit });
  }
  const start = skip === 0 ? after : await positionBefore(model, waves, query);
  if (skip > 0 && start === undefined) return [];
  return merged(waves, limit, (each) => readBranch(model, each, { filter, after: start, skip: 0, limit }));
}

/** The branches that make up a filter, in waves to be read one after the other. */
export function branchWaves({ types, statuses }: Pick<SignalFilter, 'types' | 'statuses'>): Branch[][] {
  const someTypes = types && types.length < signalTypes.length ? types : undefined;
  const byType = someTypes?.map((type): Branch => ({ type })) ?? [{}];
  if (!statuses || statuses.length === signalStatuses.length) return [byType];
  return stages
    .map((stage) => stage.filter((status) => statuses.includes(status)))
    .filter((stage) => stage.length > 0)
    .map((stage) => stage.flatMap((status) => byType.map((branch) => ({ ...branch, status }))));
}

/** The signal before the first of a page by number, or undefined when there are not that many. */
async function positionBefore(
  model: SignalModel,
  waves: readonly Branch[][],
  { filter, after, skip }: PageQuery,
): Promise<Position | undefined> {
  const keys = await merged(waves, skip, (branch) => readKeys(model, branch, { filter, after, limit: skip }));
  const last = keys[skip - 1];
  return last && { createdAt: last.created_at, id: last._id };
}

type Ordered = Pick<SignalDocument, '_id' | 'created_at'>;

/** The first `limit` of all branches together, each signal once, as it was read last. */
async function merged<T extends Ordered>(
  waves: readonly Branch[][],
  limit: number,
  read: (branch: Branch) => Promise<readonly T[]>,
): Promise<T[]> {
  const found = new Map<string, T>();
  for (const wave of waves) {
    const results = await Promise.all(wave.map(read));
    for (const document of results.flat()) found.set(document._id, document);
  }
  return [...found.values()].sort(newestFirst).slice(0, limit);
}

function newestFirst(a: Ordered, b: Ordered): number {
  return b.created_at.getTime() - a.created_at.getTime() || (b._id < a._id ? -1 : 1);
}

function readBranch(
  model: SignalModel,
  branch: Branch,
  { filter, after, skip, limit }: PageQuery,
): Promise<ListedDocument[]> {
  return model
    .find(conditions(branch, filter, after), { outbox: 0, idempotency: 0 })
    .sort({ created_at: -1, _id: -1 })
    .skip(skip)
    .limit(limit)
    .hint(indexFor(branch))
    .lean<ListedDocument[]>();
}

/** Most keys that a cursor brings at once. */
const keysPerRoundTrip = 2_000;

function readKeys(
  model: SignalModel,
  branch: Branch,
  { filter, after, limit }: Omit<PageQuery, 'skip'>,
): Promise<Ordered[]> {
  return model
    .find(conditions(branch, filter, after), { created_at: 1 })
    .sort({ created_at: -1, _id: -1 })
    .limit(limit)
    .batchSize(keysPerRoundTrip)
    .hint(indexFor(branch))
    .lean<Ordered[]>();
}

function conditions(branch: Branch, { createdAfter }: SignalFilter, after?: Position) {
  return {
    ...branch,
    ...(createdAfter === undefined && after === undefined
      ? {}
      : {
          created_at: {
            ...(createdAfter === undefined ? {} : { $gt: createdAfter }),
            ...(after === undefined ? {} : { $lte: after.createdAt }),
          },
        }),
    // Beside the bound above, which the index can seek to, this only drops what shares the instant. Not as an $or,
    // for which the development engine would collect and sort all that follows.
    ...(after === undefined ? {} : { $nor: [{ created_at: after.createdAt, _id: { $gte: after.id } }] }),
  };
}

function indexFor({ type, status }: Branch): string {
  if (type && status) return indexNames.typeAndStatus;
  if (type) return indexNames.type;
  return status ? indexNames.status : indexNames.all;
}
