import { randomFillSync } from 'node:crypto';
import { decodeTime, ulid } from 'ulid';

/** A pool of random bytes, because `ulid` by itself would ask the system for each of its 16 random characters. */
const pool = Buffer.alloc(4_096);
let used = pool.length;

/** A random number in [0, 1) with 8 random bits. `ulid` uses 5 of them for a character. */
function randomByte(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.readUInt8(used++) / 256;
}

/**
 * A new identifier: `prefix`, `_`, and 26 characters that sort by `atMs` (ULID: 48 bits of Unix milliseconds,
 * 80 random bits). Instants before 1970 all sort as its first millisecond.
 */
export function newId(prefix: string, atMs: number = Date.now()): string {
  return `${prefix}_${ulid(Math.max(1, atMs), randomByte)}`;
}

/** The instant an identifier of {@link newId} sorts by, in Unix milliseconds; undefined for any other text. */
export function timeOfId(id: string): number | undefined {
  try {
    return decodeTime(id.slice(id.indexOf('_') + 1));
  } catch {
    return undefined;
  }
}
