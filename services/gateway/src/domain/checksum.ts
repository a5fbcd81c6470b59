import { base62 } from './base62.ts';

/** 62⁶ is above 2³², so six characters hold any CRC-32. */
export const checksumLength = 6;

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  return crc;
});

/** CRC-32 (ISO 3309, as in zip) of ASCII text. */
export function crc32(text: string): number {
  let crc = 0xffff_ffff;
  for (let at = 0; at < text.length; at += 1) {
    crc = (crcTable[(crc ^ text.charCodeAt(at)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}

/** The six characters at the end of a key: they tell a mistyped or made-up key from a real one without any look-up. */
export function checksum(text: string): string {
  return base62(BigInt(crc32(text)), checksumLength);
}
