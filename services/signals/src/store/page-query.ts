import {
  contractKey,
  type Position,
  type SignalFilter,
  type SignalStatus,
  type SignalType,
  signalStatuses,
  signalTypes,
  sortPaths,
  symbolKey,
} from '@sigcast/contracts';
import { createdIn } from '@sigcast/mongo';
import type { ListFilter, SignalStore } from '../domain/ports.ts';
import { meeting } from './meeting.ts';
import { comparePositions, nthPosition, type PositionRange } from './page-position.ts';
import { indexNames, type SignalDocument, type SignalModel } from './signal-document.ts';

type PageQuery = Parameters<SignalStore['page']>[0];

/** The fields that a list needs. */
type ListedDocument = Omit<SignalDocument, 'outbox' | 'idempotency'>;

/** A part of a filter that one index answers in the order of lists: one type or all types, one status or all statuses. */
type Branch = { readonly type?: SignalType; readonly status?: SignalStatus };

/** What signals have to be, and the index to read them by. */
export type SignalsQuery = { readonly conditions: object; readonly index: string };

/**
 * The conditions and the index of a filter that names a token or a chain; undefined for other filters. Signals are read by
 * that index, and those of other types and statuses are skipped: a token has few signals, and of a chain some of each.
 */
export function tokenQuery(filter: ListFilter): SignalsQuery | undefined {
  const { symbol, contract, chain, types, statuses } = filter;
  if (symbol === undefined && contract === undefined && chain === undefined) return undefined;
  return {
    conditions: {
      ...(contract !== undefined && { contract_key: contractKey(contract) }),
      ...(symbol !== undefined && { symbol_key: symbolKey(symbol) }),
      ...(chain !== undefined && { 'token.chain': chain }),
      ...(types && { type: { $in: types } }),
      ...(statuses && { status: { $in: statuses } }),
      ...meeting(filter),
    },
    index: indexOfToken(filter),
  };
}

/** The query of all signals that a filter with conditions leaves, and its index. */
export function conditionsQuery(filter: ListFilter): SignalsQuery {
  const { types, statuses } = filter;
  return {
    conditions: {
      ...(types && { type: { $in: types } }),
      ...(statuses && { status: { $in: statuses } }),
      ...meeting(filter),
    },
    index: indexFor({ type: types?.[0], status: statuses?.[0] }),
  };
}

/** The index of what a filter names: of several, that with the fewest signals. */
function indexOfToken({ contract, symbol }: SignalFilter): string {
  if (contract !== undefined) return indexNames.contract;
  return symbol === undefined ? indexNames.chain : indexNames.symbol;
}

/**
 * Statuses in the order in which signals go through them. Branches are read in this order, so that a signal whose status
 * changes meanwhile is found in a later branch.
 */
const stages: readonly (readonly SignalStatus[])[] = [['active'], ['winner', 'dead'], ['rugged']];

/**
 * The documents of a page, in order. Several types or statuses are several bounded queries whose results are merged; one
 * query would sort all matches, or read through signals that do not match.
 */
export async function readPage(model: SignalModel, query: PageQuery): Promise<readonly ListedDocument[]> {
  const { filter, after, skip, limit } = query;
  const ofToken = tokenQuery(filter);
  if (query.sort) return readSorted(model, ofToken ?? conditionsQuery(filter), sortPaths[query.sort], query);
  if (ofToken) return readListed(model, ofToken, query);
  const waves = branchWaves(filter);
  const [wave = [], ...others] = waves;
  const [branch] = wave;
  if (branch && wave.length === 1 && others.length === 0) {
    return readBranch(model, branch, { filter, after, skip, limit });
  }
  const start =
    skip === 0
      ? after
      : await nthPosition(waves, skip, (each, range) => readPositions(model, each, filter, range));
  if (skip > 0 && start === undefined) return [];
  return merged(waves, limit, (each) => readBranch(model, each, { filter, after: start, skip: 0, limit }));
}

/** The branches of a filter, in waves to be read one after the other. */
export function branchWaves({ types, statuses }: Pick<SignalFilter, 'types' | 'statuses'>): Branch[][] {
  const someTypes = types && types.length < signalTypes.length ? types : undefined;
  const byType = someTypes?.map((type): Branch => ({ type })) ?? [{}];
  if (!statuses || statuses.length === signalStatuses.length) return [byType];
  return stages
    .map((stage) => stage.filter((status) => statuses.includes(status)))
    .filter((stage) => stage.length > 0)
    .map((stage) => stage.flatMap((status) => byType.map((branch) => ({ ...branch, status }))));
}

type Ordered = Pick<SignalDocument, '_id' | 'created_at'>;

/** The first `limit` signals of all branches together, each signal once, as it was read last. */
export async function merged<T extends Ordered>(
  waves: readonly Branch[][],
  limit: number,
  read: (branch: Branch) => Promise<readonly T[]>,
): Promise<T[]> {
  const found = new Map<string, T>();
  for (const wave of waves) {
    const results = await Promise.all(wave.map(read));
    for (const document of results.flat()) found.set(document._id, document);
  }
  const inOrder = [...found.values()].sort((a, b) => comparePositions(toPosition(a), toPosition(b)));
  return inOrder.slice(0, limit);
}

function toPosition({ created_at, _id }: Ordered): Position {
  return { createdAt: created_at, id: _id };
}

function readBranch(model: SignalModel, branch: Branch, query: PageQuery): Promise<ListedDocument[]> {
  const conditions = { ...branch, ...meeting(query.filter) };
  return readListed(model, { conditions, index: indexFor(branch) }, query);
}

function readListed(
  model: SignalModel,
  { conditions, index }: SignalsQuery,
  { filter, after, skip, limit }: PageQuery,
): Promise<ListedDocument[]> {
  return model
    .find({ ...conditions, ...createdIn(filter, after) }, { outbox: 0, idempotency: 0 })
    .sort({ created_at: -1, _id: -1 })
    .skip(skip)
    .limit(limit)
    .hint(index)
    .lean<ListedDocument[]>();
}

/** Reads all signals that the filter leaves, and keeps those of the page. */
function readSorted(
  model: SignalModel,
  { conditions, index }: SignalsQuery,
  path: string,
  { filter, after, skip, limit }: PageQuery,
): Promise<ListedDocument[]> {
  const { id, figure } = after ?? {};
  const rest: object | undefined = figure && {
    [path]: { $lte: figure.value },
    $nor: [{ [path]: figure.value, _id: { $gte: id } }],
  };
  return model
    .find({ ...conditions, ...createdIn(filter), ...rest }, { outbox: 0, idempotency: 0 })
    .sort({ [path]: -1, _id: -1 })
    .skip(skip)
    .limit(limit)
    .hint(index)
    .lean<ListedDocument[]>();
}

async function readPositions(
  model: SignalModel,
  branch: Branch,
  filter: ListFilter,
  { after, downTo, limit }: PositionRange,
): Promise<Position[]> {
  const documents = await model
    .find({ ...branch, ...meeting(filter), ...createdIn(filter, after, downTo) }, { created_at: 1 })
    .sort({ created_at: -1, _id: -1 })
    .limit(limit)
    // eslint-disable-next-line no-restricted-syntax -- the whole answer in one page
    .batchSize(limit)
    .hint(indexFor(branch))
    .lean<Ordered[]>();
  return documents.map(toPosition);
}

function indexFor({ type, status }: Partial<Record<keyof Branch, unknown>>): string {
  if (type && status) return indexNames.typeAndStatus;
  if (type) return indexNames.type;
  return status ? indexNames.status : indexNames.all;
}
