import { type Tile, tileWidth, widthIn } from './tiles.ts';
import { type Hash, nodeHash, rootOf } from './tree.ts';

/** Reads the hashes of a tile. Several are read at once. */
export type TileReader = (tile: Tile) => Promise<readonly Hash[]>;

/**
 * Proves that the entry of number `index` is in the tree of `size` leaves: the hashes of its siblings, from the leaf up (RFC 6962,
 * 2.1.1).
 */
export async function inclusionProof(index: number, size: number, read: TileReader): Promise<Hash[]> {
  const hashes = subtreeReader(size, read);
  const path = async (start: number, end: number): Promise<Hash[]> => {
    if (end - start === 1) return [];
    const middle = start + splitOf(end - start);
    const [below, sibling] = await Promise.all(
      index < middle
        ? [path(start, middle), hashes(middle, end)]
        : [path(middle, end), hashes(start, middle)],
    );
    return [...below, sibling];
  };
  if (index < 0 || index >= size) throw new RangeError(`a tree of ${size} has no entry ${index}`);
  return path(0, size);
}

/** Proves that the tree of `size` leaves begins with the tree of `old` leaves (RFC 6962, 2.1.2). */
export async function consistencyProof(old: number, size: number, read: TileReader): Promise<Hash[]> {
  const hashes = subtreeReader(size, read);
  const proof = async (start: number, end: number, isWhole: boolean): Promise<Hash[]> => {
    if (old === end) return isWhole ? [] : [await hashes(start, end)];
    const middle = start + splitOf(end - start);
    const [below, sibling] = await Promise.all(
      old <= middle
        ? [proof(start, middle, isWhole), hashes(middle, end)]
        : [proof(middle, end, false), hashes(start, middle)],
    );
    return [...below, sibling];
  };
  if (old < 0 || old > size) throw new RangeError(`a tree of ${size} has not had ${old} entries`);
  return old === 0 ? [] : proof(0, size, true);
}

/** The largest power of two below a number above 1. */
function splitOf(size: number): number {
  return 2 ** Math.floor(Math.log2(size - 1));
}

/** Reads the hash over the leaves from `start` to `end`, exclusive, as RFC 6962 forms the tree of `size` leaves. */
function subtreeReader(size: number, read: TileReader): (start: number, end: number) => Promise<Hash> {
  const tiles = new Map<string, Promise<readonly Hash[]>>();
  const tileOf = (level: number, index: number) => {
    const name = `${level}/${index}`;
    const known = tiles.get(name);
    if (known !== undefined) return known;
    const found = read({ level, index, width: widthIn(size, { level, index }) });
    tiles.set(name, found);
    return found;
  };
  const hashOf = async (start: number, end: number): Promise<Hash> => {
    const leaves = end - start;
    const half = leaves === 1 ? 1 : splitOf(leaves);
    if (leaves > 1 && half * 2 !== leaves)
      return nodeHash(...(await Promise.all([hashOf(start, start + half), hashOf(start + half, end)])));
    // A perfect subtree: of the hashes of one tile, at the lowest level where they are few.
    const level = Math.floor(Math.log2(leaves) / 8);
    const each = tileWidth ** level;
    const from = start / each;
    const hashes = await tileOf(level, Math.floor(from / tileWidth));
    const at = from % tileWidth;
    return rootOf(hashes.slice(at, at + leaves / each).map((hash) => ({ size: 1, hash })));
  };
  return hashOf;
}

/**
 * The root that a proof of inclusion leads to.
 * @returns undefined where the proof has another length than a tree of that size needs (RFC 9162, 2.1.3.2).
 */
export function rootOfInclusion(
  leaf: Hash,
  { index, size, proof }: { readonly index: number; readonly size: number; readonly proof: readonly Hash[] },
): Hash | undefined {
  if (index < 0 || index >= size) return undefined;
  let [node, last, hash] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else hash = nodeHash(hash, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash : undefined;
}
