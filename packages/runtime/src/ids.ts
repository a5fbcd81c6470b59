import { ulid } from 'ulid';

/**
 * A new identifier: `prefix`, `_`, and 26 characters that sort by `atMs` (ULID: 48 bits of Unix milliseconds,
 * 80 random bits). Instants before 1970 all sort as its first millisecond.
 */
export function newId(prefix: string, atMs: number = Date.now()): string {
  return `${prefix}_${ulid(Math.max(1, atMs))}`;
}
