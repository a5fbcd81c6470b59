import {
  type Condition,
  type Conditions,
  invalidRequest,
  type ListSignalsQuery,
  maxPastTotal,
  type Page,
  readPage,
  type SignalFilter,
  signalConditionFields,
  signalFilter,
} from '@sigcast/contracts';
import { narrowed } from './narrowed.ts';
import type { ListFilter, SignalStore } from './ports.ts';
import type { Signal } from './signal.ts';

/**
 * Reads a page, by its number or after a cursor.
 * @throws {SigcastError} INVALID_REQUEST naming `cursor` when no list has given it, or `filter` when its conditions would
 * have to be applied to too many signals; SERVICE_UNAVAILABLE.
 */
export async function listSignals(store: SignalStore, query: ListSignalsQuery): Promise<Page<Signal>> {
  const filter =
    query.filter === undefined
      ? signalFilter(query)
      : await boundedFilter(store, signalFilter(query), query.filter);
  return readPage(query, {
    read: (range) => store.page({ filter, ...range }),
    count: () => store.count(filter),
  });
}

/**
 * The first filter that one index serves and that leaves few signals, with everything else that is asked for as conditions. An
 * index serves one of a token's members, or types and statuses.
 */
async function boundedFilter(
  store: SignalStore,
  plain: SignalFilter,
  { all: own, any, not }: Conditions,
): Promise<ListFilter> {
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
      field: 'filter',
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
