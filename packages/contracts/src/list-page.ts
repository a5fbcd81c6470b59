import { invalidRequest } from './errors.ts';
import { decodeCursor, encodeCursor, type Position } from './page-cursor.ts';

/** A page of a list. */
export type Page<T> = {
  readonly entries: readonly T[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  /** Null on the last page. */
  readonly nextCursor: string | null;
};

/** Which entries of a list to read, in its order: at most `limit`, after a position or after `skip` others. */
export type PageRange = {
  readonly after: Position | undefined;
  readonly skip: number;
  readonly limit: number;
};

/**
 * Reads a page of a list of signals, by its number or after a cursor.
 * @throws {SigcastError} INVALID_REQUEST naming `cursor` when no list has given it; what `read` and `count` throw.
 */
export async function readPage<T extends Position>(
  query: { readonly limit: number; readonly page?: number | undefined; readonly cursor?: string | undefined },
  list: {
    readonly read: (range: PageRange) => Promise<readonly T[]>;
    readonly count: () => Promise<number>;
  },
): Promise<Page<T>> {
  const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  if (query.cursor !== undefined && cursor === undefined) {
    throw invalidRequest([{ field: 'cursor', message: 'must be a meta.next_cursor that a list has given' }]);
  }
  const { limit } = query;
  const page = cursor?.page ?? query.page ?? 1;
  const [found, total] = await Promise.all([
    // One more than asked for tells whether there is a next page.
    list.read({ after: cursor?.after, skip: cursor ? 0 : (page - 1) * limit, limit: limit + 1 }),
    list.count(),
  ]);
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  const nextCursor = last && found.length > limit ? encodeCursor({ after: last, page: page + 1 }) : null;
  return { entries, total, page, limit, nextCursor };
}
