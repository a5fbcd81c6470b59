import { CommandError } from './errors.ts';

/** An open cursor. DocumentDB keeps the position in the continuation, not in a connection. */
type Cursor = { readonly database: string; readonly continuation: Buffer; readonly usedAtMs: number };

/** How long an unused cursor lives: MongoDB's default. */
const idleLimitMs = 10 * 60_000;
/** The most open cursors; a continuation takes some hundred bytes. The least recently used cursor is dropped first. */
const maxCursors = 10_000;

/** The open cursors of all connections. */
export class Cursors {
  // In the order of their last use: a Map moves to its end what is deleted and set again.
  readonly #open = new Map<bigint, Cursor>();

  keep(id: bigint, database: string, continuation: Buffer): void {
    this.#dropExpired();
    this.#open.delete(id);
    this.#open.set(id, { database, continuation, usedAtMs: Date.now() });
    if (this.#open.size > maxCursors) this.#dropOldest();
  }

  /** Removes a cursor while its page is read: two readers at once would get the same page. @throws when it is unknown. */
  take(id: bigint): Cursor {
    this.#dropExpired();
    const cursor = this.#open.get(id);
    if (!cursor) throw new CommandError(43, 'CursorNotFound', `cursor id ${id} not found`);
    this.#open.delete(id);
    return cursor;
  }

  /** True when there was such a cursor. */
  drop(id: bigint): boolean {
    return this.#open.delete(id);
  }

  #dropOldest(): void {
    for (const id of this.#open.keys()) {
      this.#open.delete(id);
      return;
    }
  }

  #dropExpired(): void {
    const oldest = Date.now() - idleLimitMs;
    for (const [id, cursor] of this.#open) {
      if (cursor.usedAtMs >= oldest) return;
      this.#open.delete(id);
    }
  }
}
