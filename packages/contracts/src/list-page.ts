import { invalidRequest } from './errors.ts';
import { decodeCursor, encodeCursor, type Position } from './page-cursor.ts';
import type { ListSignalsQuery } from './queries.ts';
import type { SignalStatus, SignalType } from './resources/signal.ts';

/** Which signals a list is of. */
export type SignalFilter = {
  readonly types?: readonly SignalType[] | undefined;
  readonly statuses?: readonly SignalStatus[] | undefined;
  /** Exclusive. */
  readonly createdAfter?: Date | undefined;
  /** Inclusive. */
  readonly createdUntil?: Date | undefined;
  /** Exact, in upper or lower case. */
  readonly symbol?: string | undefined;
  /** Exact. */
  readonly contract?: string | undefined;
  readonly chain?: string | undefined;
};

/** The filter that a list's query asks for. */
export function signalFilter(
  query: Pick<ListSignalsQuery, 'type' | 'status' | 'since' | 'until' | 'symbol' | 'contract' | 'chain'>,
): SignalFilter {
  return {
    types: query.type,
    statuses: query.status,
    createdAfter: query.since,
    createdUntil: query.until,
    symbol: query.symbol,
    contract: query.contract,
    chain: query.chain,
  };
}

/** The number of a list's entries. `capped`: counting has ended before the last one. */
export type Total = { readonly total: number; readonly capped?: boolean };

/** A page of a list. */
export type Page<T> = Total & {
  readonly entries: readonly T[];
  readonly page: number;
  readonly limit: number;
  /** Null on the last page. */
  readonly nextCursor: string | null;
};

/** Which entries of a list to read, in the list's order: at most `limit`, after a position or after the first `skip`. */
type PageRange = {
  readonly after: Position | undefined;
  readonly skip: number;
  readonly limit: number;
};

/**
 * Reads a page of a list of signals, by its number or after a cursor.
 * @throws {SigcastError} INVALID_REQUEST naming `cursor` when no list with this sort has given it; what `read` and `count` throw.
 */
export async function readPage<T extends Position>(
  query: {
    readonly limit: number;
    readonly page?: number | undefined;
    readonly cursor?: string | undefined;
    readonly sort?: ListSignalsQuery['sort'];
  },
  list: {
    readonly read: (range: PageRange) => Promise<readonly T[]>;
    readonly count: () => Promise<Total>;
    /** Where an entry stands in the list. Default: by its own members, where lists are newest first. */
    readonly positionOf?: (entry: T) => Position;
  },
): Promise<Page<T>> {
  const { sort = 'created_at' } = query;
  const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  const givenBy = cursor && (cursor.after.figure?.name ?? 'created_at');
  if (query.cursor !== undefined && givenBy !== sort) {
    const message = 'must be a meta.next_cursor that a list with the same sort has given';
    throw invalidRequest([{ field: 'cursor', message }]);
  }
  const { limit } = query;
  const page = cursor?.page ?? query.page ?? 1;
  const [found, counted] = await Promise.all([
    // One more than asked for tells whether there is a next page.
    list.read({ after: cursor?.after, skip: cursor ? 0 : (page - 1) * limit, limit: limit + 1 }),
    list.count(),
  ]);
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  const positionOf = list.positionOf ?? ((entry: Position) => entry);
  const nextCursor =
    last && found.length > limit ? encodeCursor({ after: positionOf(last), page: page + 1 }) : null;
  return { entries, ...counted, page, limit, nextCursor };
}
