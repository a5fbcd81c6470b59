import { crc32 } from 'node:zlib';
import { smallBase62 } from './base62.ts';

/** 62⁶ is above 2³², so six characters hold any CRC-32 (ISO 3309, as in zip). */
export const checksumLength = 6;

/** The six characters at the end of a key. They reveal a mistyped or made-up key without a look-up. */
export function checksum(text: string): string {
  return smallBase62(crc32(text), checksumLength);
}
