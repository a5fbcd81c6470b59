import { ulid } from 'ulid';

/**
 * A new identifier: `prefix`, `_`, and 26 characters that sort by `atMs` (ULID: 48 bits of Unix milliseconds,
 * 80 random bits).
 */
export function newId(prefix: string, atMs: number = Date.now()): string {
  return `${prefix}_${ulid(atMs)}`;
}
