import { type LogFiles, tilePath } from './log-files.ts';

/** Entries of a bundle. */
export const bundleSize = 256;
/** Bundles that are read at once. */
const readAhead = 8;

/** A bundle of a log: the number of its first entry, and its entries. */
export type Bundle = { readonly first: number; readonly entries: readonly Buffer[] };

/**
 * Reads entries of a log of `size` entries, bundle after bundle, beginning with the bundle that has the entry of number `from`. A
 * bundle that is missing or breaks off is named.
 */
export async function* bundlesOf(
  read: LogFiles,
  { from, size }: { readonly from: number; readonly size: number },
): AsyncGenerator<Bundle | { readonly missing: string }> {
  const count = from === size ? 0 : Math.ceil(size / bundleSize);
  const pathOf = (n: number) => tilePath('entries', n, Math.min(bundleSize, size - n * bundleSize));
  const ahead: Promise<Buffer | undefined>[] = [];
  for (let n = Math.floor(from / bundleSize); n < count; n++) {
    while (ahead.length < readAhead && n + ahead.length < count) {
      const next = read(pathOf(n + ahead.length));
      // Its failure is thrown when its turn comes.
      next.catch(() => undefined);
      ahead.push(next);
    }
    const bytes = await ahead.shift();
    const width = Math.min(bundleSize, size - n * bundleSize);
    const entries = bytes && split(bytes);
    if (entries?.length !== width) yield { missing: pathOf(n) };
    else yield { first: n * bundleSize, entries };
  }
}

/** The entries of a bundle: each behind its length in two bytes. Undefined where it breaks off. */
function split(bytes: Buffer): Buffer[] | undefined {
  const entries: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + 2 > bytes.length) return undefined;
    const end = at + 2 + bytes.readUInt16BE(at);
    if (end > bytes.length) return undefined;
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return entries;
}
