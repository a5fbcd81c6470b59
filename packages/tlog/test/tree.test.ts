import { RFC9162 } from '@transmute/rfc9162';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  consistencyProof,
  hashesOf,
  inclusionProof,
  leafHash,
  nodeHash,
  rootOf,
  rootOfInclusion,
  TileEdge,
  tilesOf,
  widthIn,
} from '../src/index.ts';
import { entryOf, treeOfTiles } from './tree-of-tiles.ts';

const entries = Array.from({ length: 1_000 }, (_, n) => entryOf(n));
const bytes = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString('hex'));

/** RFC 6962, 2.1, word for word: for sizes at which the other implementation takes too long. */
function treeHead(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (leaves.length <= 1) return only ?? rootOf([]);
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  const hash = (part: readonly Buffer[]) => ({ size: 1, hash: treeHead(part) });
  return rootOf([hash(leaves.slice(0, k)), hash(leaves.slice(k))]);
}

/** Verifies a proof of consistency: RFC 9162, 2.1.4.2, step by step. */
function isConsistent(claim: {
  readonly old: number;
  readonly earlier: Buffer;
  readonly size: number;
  readonly root: Buffer;
  readonly proof: readonly Buffer[];
}): boolean {
  const { old, earlier, size, root, proof } = claim;
  if (old === size) return proof.length === 0 && earlier.equals(root);
  const isPower = (old & (old - 1)) === 0;
  const [first, ...path] = isPower ? [earlier, ...proof] : proof;
  if (first === undefined) return false;
  let [fn, sn] = [old - 1, size - 1];
  while (fn % 2 === 1) [fn, sn] = [fn >> 1, sn >> 1];
  let [fr, sr] = [first, first];
  for (const c of path) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      [fr, sr] = [nodeHash(c, fr), nodeHash(c, sr)];
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1];
    } else sr = nodeHash(sr, c);
    [fn, sn] = [fn >> 1, sn >> 1];
  }
  return fr.equals(earlier) && sr.equals(root) && sn === 0;
}

describe('the tree', () => {
  it('of each size to 1,000 has the root that a second implementation of RFC 6962 finds', async () => {
    const { edge, grow } = treeOfTiles();
    expect(edge.root.toString('hex')).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    for (const [n, entry] of entries.entries()) {
      grow([entry]);
      // Each of the first 130, then some of each kind: an independent root of 1,000 leaves takes 10 ms.
      if (n > 130 && n % 37 !== 0 && ![254, 255, 256, 511, 512, 767, 999].includes(n)) {
        expect(edge.root.equals(treeHead(entries.slice(0, n + 1).map(leafHash)))).toBe(true);
        continue;
      }
      expect(edge.root.toString('hex')).toBe(
        Buffer.from(await RFC9162.treeHead(entries.slice(0, n + 1))).toString('hex'),
      );
    }
  });

  it('proves entries and earlier sizes as a second implementation does, however it has grown', async () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 700 }), fc.nat(), fc.nat(), fc.nat());
    await fc.assert(
      fc.asyncProperty(sizes, async ([size, a, b, step]) => {
        const { edge, grow, read } = treeOfTiles();
        for (let n = 0; n < size; n += 1 + (step % 300))
          grow(entries.slice(n, Math.min(size, n + 1 + (step % 300))));
        const all = entries.slice(0, size);
        const index = a % size;
        const proof = await inclusionProof(index, size, read);
        expect(bytes(proof)).toEqual(bytes(await RFC9162.PATH(index, all)));
        const leaf = leafHash(entries[index] as Buffer);
        expect(rootOfInclusion(leaf, { index, size, proof })?.equals(edge.root)).toBe(true);
        const old = 1 + (b % size);
        const earlier = treeHead(all.slice(0, old).map(leafHash));
        const consistency = await consistencyProof(old, size, read);
        expect(isConsistent({ old, earlier, size, root: edge.root, proof: consistency })).toBe(true);
        expect(isConsistent({ old, earlier: edge.root, size, root: earlier, proof: consistency })).toBe(
          old === size,
        );
      }),
      { numRuns: 60 },
    );
  });

  it('of 70,000 proves entries and earlier sizes, also where a proof has hashes of trees that are not whole', async () => {
    const { edge, grow, read } = treeOfTiles();
    const size = 70_000;
    const all = Array.from({ length: size }, (_, n) => entryOf(n));
    grow(all);
    const leaves = all.map(leafHash);
    for (const index of [0, 255, 256, 65_535, 65_536, 69_887, 69_888, 69_999]) {
      const proof = await inclusionProof(index, size, read);
      const found = rootOfInclusion(leaves[index] as Buffer, { index, size, proof });
      expect([index, found?.equals(edge.root)]).toEqual([index, true]);
    }
    for (const old of [256, 65_536, 69_999]) {
      const earlier = treeHead(leaves.slice(0, old));
      const proof = await consistencyProof(old, size, read);
      expect([old, isConsistent({ old, earlier, size, root: edge.root, proof })]).toEqual([old, true]);
    }
  });

  it('of 770 proves its first entry with the hash of the 258 last ones, a tree that is not whole and of two tiles', async () => {
    const { edge, grow, read } = treeOfTiles();
    const some = entries.slice(0, 770);
    grow(some);
    const proof = await inclusionProof(0, 770, read);
    expect(rootOfInclusion(leafHash(entryOf(0)), { index: 0, size: 770, proof })?.equals(edge.root)).toBe(
      true,
    );
    expect(proof.at(-1)?.equals(treeHead(some.slice(512).map(leafHash)))).toBe(true);
  });

  it('has no proof of what it has not, and none of another place or another size', async () => {
    const { edge, grow, read } = treeOfTiles();
    grow(entries.slice(0, 300));
    await expect(inclusionProof(300, 300, read)).rejects.toThrow('has no entry 300');
    await expect(inclusionProof(-1, 300, read)).rejects.toThrow('has no entry -1');
    await expect(consistencyProof(301, 300, read)).rejects.toThrow('has not had 301 entries');
    await expect(consistencyProof(-1, 300, read)).rejects.toThrow('has not had -1 entries');
    expect(await consistencyProof(0, 300, read)).toEqual([]);
    const proof = await inclusionProof(17, 300, read);
    const leaf = leafHash(entries[17] as Buffer);
    for (const other of [
      { index: 18, size: 300, proof },
      { index: 17, size: 2, proof },
      { index: 300, size: 300, proof },
      { index: 17, size: 300, proof: proof.slice(1) },
      { index: 17, size: 300, proof: [...proof, leaf] },
    ])
      expect(rootOfInclusion(leaf, other)?.equals(edge.root) ?? false).toBe(false);
    for (const index of [-1, 1]) expect(rootOfInclusion(leaf, { index, size: 1, proof: [] })).toBeUndefined();
    expect(rootOfInclusion(leaf, { index: 0, size: 1, proof: [] })).toEqual(leaf);
  });
});

describe('tiles', () => {
  it.each([
    [255, [[0, 0, 255]]],
    [
      256,
      [
        [0, 0, 256],
        [1, 0, 1],
      ],
    ],
    [
      257,
      [
        [0, 0, 256],
        [0, 1, 1],
        [1, 0, 1],
      ],
    ],
  ])('of a tree of %i are those of the specification', (size, expected) => {
    expect(tilesOf(size).map(({ level, index, width }) => [level, index, width])).toEqual(expected);
  });

  it('of a tree of 70,000 are those of the specification’s example', () => {
    const tiles = tilesOf(70_000);
    const count = (level: number, isFull: boolean) =>
      tiles.filter((tile) => tile.level === level && (tile.width === 256) === isFull);
    expect(count(0, true)).toHaveLength(273);
    expect(count(0, false)).toEqual([{ level: 0, index: 273, width: 112 }]);
    expect(count(1, true)).toHaveLength(1);
    expect(count(1, false)).toEqual([{ level: 1, index: 1, width: 17 }]);
    expect(count(2, false)).toEqual([{ level: 2, index: 0, width: 1 }]);
    expect(tiles).toHaveLength(277);
  });

  it('have the hashes of the subtrees that they stand for, and go on from what is kept of them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 66_000 }), fc.nat(), (size, cut) => {
        const leaves = Array.from({ length: size }, (_, n) => leafHash(entryOf(n)));
        const first = cut % (size + 1);
        const begun = new TileEdge();
        const tiles = new Map(
          begun.append(leaves.slice(0, first)).map((tile) => [`${tile.level}/${tile.index}`, tile.hashes]),
        );
        const kept = tilesOf(first).filter(({ width }) => width < 256);
        const levels = Math.max(0, ...tilesOf(first).map(({ level }) => level + 1));
        const edge = Array.from({ length: levels }, (_, level) => {
          const last = kept.find((tile) => tile.level === level);
          return last ? (tiles.get(`${level}/${last.index}`) ?? []) : [];
        });
        const again = new TileEdge(first, edge);
        expect(again.root.equals(begun.root)).toBe(true);
        for (const { level, index, hashes } of again.append(leaves.slice(first)))
          tiles.set(`${level}/${index}`, hashes);
        for (const { level, index, width } of tilesOf(size)) {
          const hashes = tiles.get(`${level}/${index}`) ?? [];
          expect(hashes).toHaveLength(width);
          const each = 256 ** level;
          const at = index * 256 + width - 1;
          expect(hashes.at(-1)?.equals(treeHead(leaves.slice(at * each, (at + 1) * each)))).toBe(true);
        }
        expect(again.root.equals(treeHead(leaves))).toBe(true);
        expect(widthIn(size, { level: 0, index: Math.ceil(size / 256) })).toBe(0);
      }),
      { numRuns: 6 },
    );
  });

  it('are read as their hashes', () => {
    const hashes = [leafHash(entryOf(1)), leafHash(entryOf(2))];
    expect(bytes(hashesOf(Buffer.concat(hashes)))).toEqual(bytes(hashes));
  });
});
