import {
  type Condition,
  invalidRequest,
  type ListSignalsQuery,
  maxPastTotal,
  type Page,
  type Position,
  readPage,
  type SignalFilter,
  type SortFigure,
  signalConditionFields,
  signalFilter,
} from '@sigcast/contracts';
import { narrowed } from './narrowed.ts';
import type { ListFilter, SignalStore } from './ports.ts';
import { type Signal, toDetail } from './signal.ts';

/**
 * Reads a page, by its number or after a cursor.
 * @throws {SigcastError} INVALID_REQUEST naming `cursor` when no list with this sort has given it, or `filter` or `sort` when
 * it would have to be applied to too many signals; SERVICE_UNAVAILABLE.
 */
export async function listSignals(store: SignalStore, query: ListSignalsQuery): Promise<Page<Signal>> {
  const sort = query.sort === 'created_at' ? undefined : query.sort;
  const plain = signalFilter(query);
  const filter =
    query.filter === undefined && sort === undefined ? plain : await boundedFilter(store, plain, query);
  return readPage(query, {
    read: (range) => store.page({ filter, sort, ...range }),
    count: () => store.count(filter),
    positionOf: (signal) => positionOf(signal, sort),
  });
}

function positionOf(signal: Signal, sort: SortFigure | undefined): Position {
  const { createdAt, id } = signal;
  if (sort === undefined) return { createdAt, id };
  const { performance, metrics } = toDetail(signal);
  const value = { ...performance, ...metrics }[sort];
  return { createdAt, id, figure: { name: sort, value } };
}

/**
 * The first filter that one index serves and that leaves few signals, with everything else that is asked for as conditions. An
 * index serves one of a token's members, or types and statuses.
 */
async function boundedFilter(
  store: SignalStore,
  plain: SignalFilter,
  { filter }: Pick<ListSignalsQuery, 'filter'>,
): Promise<ListFilter> {
  const { all: own, any, not } = filter ?? { all: [], any: [], not: [] };
  const all = [...conditionsOf(plain), ...own];
  const { createdAfter, createdUntil, types, statuses, contract, symbol, chain } = narrowed(plain, all);
  const choices: SignalFilter[] = [
    ...(contract === undefined ? [] : [{ contract }]),
    ...(symbol === undefined ? [] : [{ symbol }]),
    ...(chain === undefined ? [] : [{ chain }]),
    { types, statuses },
  ];
  for (const choice of choices) {
    const scanned = { ...choice, createdAfter, createdUntil };
    const { total, capped } = await store.count(scanned);
    if (total <= maxPastTotal && capped !== true) return { ...scanned, conditions: { all, any, not } };
  }
  const most = maxPastTotal.toLocaleString('en');
  throw invalidRequest([
    {
      field: filter === undefined ? 'sort' : 'filter',
      message: `would be applied to more than ${most} signals; narrow the list by since and until, type, status, symbol, contract or chain`,
    },
  ]);
}

function conditionsOf({ types, statuses, contract, symbol, chain }: SignalFilter): Condition[] {
  const asked = [
    ['type', 'in', types],
    ['performance.status', 'in', statuses],
    ['token.contract', 'eq', contract],
    ['token.symbol', 'eq', symbol],
    ['token.chain', 'eq', chain],
  ] as const;
  return asked.flatMap(([path, operator, value]) => {
    const field = signalConditionFields.get(path);
    return field === undefined || value === undefined ? [] : [{ field, operator, value } as Condition];
  });
}
