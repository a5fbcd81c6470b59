import {
  invalidRequest,
  type ListSignalsQuery,
  maxPastTotal,
  type Page,
  readPage,
  signalFilter,
} from '@sigcast/contracts';
import { narrowed } from './narrowed.ts';
import type { SignalStore } from './ports.ts';
import type { Signal } from './signal.ts';

/**
 * Reads a page, by its number or after a cursor.
 * @throws {SigcastError} INVALID_REQUEST naming `cursor` when no list has given it, or `filter` when its conditions would
 * have to be applied to too many signals; SERVICE_UNAVAILABLE.
 */
export async function listSignals(store: SignalStore, query: ListSignalsQuery): Promise<Page<Signal>> {
  const conditions = query.filter;
  const plain = signalFilter(query);
  const filter = conditions === undefined ? plain : { ...narrowed(plain, conditions.all), conditions };
  if (conditions !== undefined) await refuseLongScan(store, { ...filter, conditions: undefined });
  return readPage(query, {
    read: (range) => store.page({ filter, ...range }),
    count: () => store.count(filter),
  });
}

async function refuseLongScan(store: SignalStore, scanned: Parameters<SignalStore['count']>[0]) {
  const { total, capped } = await store.count(scanned);
  if (total <= maxPastTotal && capped !== true) return;
  const most = maxPastTotal.toLocaleString('en');
  throw invalidRequest([
    {
      field: 'filter',
      message: `would be applied to more than ${most} signals; narrow the list by since and until, type, status, symbol, contract or chain`,
    },
  ]);
}
