import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { entityTag } from '@sigcast/http';
import type { SentFile } from './send-file.ts';

/** Files are compressed when they are asked for first: at 6 a page takes a few milliseconds, at 9 several times as long. */
const brotliQuality = 6;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/**
 * Reads and compresses a file once, at the first call. Later calls get the same bytes. After a failure the next call tries
 * again.
 */
export function packedFile(type: string, read: () => Promise<Buffer>): () => Promise<SentFile> {
  let packed: Promise<SentFile> | undefined;
  return () => {
    packed ??= read()
      .then((whole) => pack(type, whole))
      .catch((err: unknown) => {
        packed = undefined;
        throw err;
      });
    return packed;
  };
}

/** Remembers what was made last: the same values make nothing anew. */
export function madeOnce<From extends readonly unknown[], T>(
  make: (...from: From) => T,
): (...from: From) => T {
  let made: { readonly from: From; readonly value: T } | undefined;
  return (...from) => {
    if (made === undefined || made.from.some((value, at) => value !== from[at])) {
      made = { from, value: make(...from) };
    }
    return made.value;
  };
}

async function pack(type: string, whole: Buffer): Promise<SentFile> {
  const [br, gz] = await Promise.all([
    compressBrotli(whole, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
        [constants.BROTLI_PARAM_SIZE_HINT]: whole.length,
      },
    }),
    compressGzip(whole),
  ]);
  return {
    type,
    // Weak: the same for every coding (RFC 9110, 8.8.3.3).
    etag: `W/${entityTag(whole)}`,
    bodies: new Map([
      ['br', br],
      ['gzip', gz],
      ['identity', whole],
    ]),
  };
}
