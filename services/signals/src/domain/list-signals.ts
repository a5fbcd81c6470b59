import { invalidRequest, type ListSignalsQuery } from '@sigcast/contracts';
import { decodeCursor, encodeCursor } from './page-cursor.ts';
import type { SignalFilter, SignalStore } from './ports.ts';
import type { Signal } from './signal.ts';

export type SignalPage = {
  readonly signals: readonly Signal[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  /** Null on the last page. */
  readonly nextCursor: string | null;
};

/**
 * Reads a page, by its number or after a cursor.
 * @throws {SigcastError} INVALID_REQUEST naming `cursor` when this service did not make it; SERVICE_UNAVAILABLE.
 */
export async function listSignals(store: SignalStore, query: ListSignalsQuery): Promise<SignalPage> {
  const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  if (query.cursor !== undefined && cursor === undefined) {
    throw invalidRequest([{ field: 'cursor', message: 'must be a meta.next_cursor that a list has given' }]);
  }
  const filter: SignalFilter = {
    ...{ types: query.type, statuses: query.status, createdAfter: query.since, createdUntil: query.until },
    ...{ symbol: query.symbol, contract: query.contract },
  };
  const { limit } = query;
  const page = cursor?.page ?? query.page ?? 1;
  const [found, total] = await Promise.all([
    // One more than asked for tells whether there is a next page.
    store.page({ filter, after: cursor?.after, skip: cursor ? 0 : (page - 1) * limit, limit: limit + 1 }),
    store.count(filter),
  ]);
  const signals = found.slice(0, limit);
  const last = signals.at(-1);
  return {
    signals,
    total,
    page,
    limit,
    nextCursor: last && found.length > limit ? encodeCursor({ after: last, page: page + 1 }) : null,
  };
}
