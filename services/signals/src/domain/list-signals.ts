import { type ListSignalsQuery, type Page, readPage, signalFilter } from '@sigcast/contracts';
import type { SignalStore } from './ports.ts';
import type { Signal } from './signal.ts';

/**
 * Reads a page, by its number or after a cursor.
 * @throws {SigcastError} INVALID_REQUEST naming `cursor` when no list has given it; SERVICE_UNAVAILABLE.
 */
export function listSignals(store: SignalStore, query: ListSignalsQuery): Promise<Page<Signal>> {
  const filter = signalFilter(query);
  return readPage(query, {
    read: (range) => store.page({ filter, ...range }),
    count: () => store.count(filter),
  });
}
