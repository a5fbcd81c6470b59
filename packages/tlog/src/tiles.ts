import { type Hash, hashBytes, rootOf, type Subtree } from './tree.ts';

/** Hashes of a full tile (C2SP tlog-tiles). */
export const tileWidth = 256;

/**
 * A tile: some of the hashes of subtrees of `256^level` leaves, from number `index × 256` on. `width`: how many, 256 in a
 * full tile.
 */
export type Tile = { readonly level: number; readonly index: number; readonly width: number };

/** How many subtrees of `256^level` leaves a tree of `size` leaves has. */
export function countAt(level: number, size: number): number {
  return Math.floor(size / tileWidth ** level);
}

/** The width that a tile has in a tree of `size` leaves; 0 where the tree has no such tile. */
export function widthIn(size: number, { level, index }: Pick<Tile, 'level' | 'index'>): number {
  return Math.max(0, Math.min(tileWidth, countAt(level, size) - index * tileWidth));
}

/** The tiles of a tree of `size` leaves: the full ones, and at most one partial one of each level. */
export function tilesOf(size: number): Tile[] {
  const tiles: Tile[] = [];
  for (let level = 0; countAt(level, size) > 0; level++) {
    for (let index = 0; index * tileWidth < countAt(level, size); index++)
      tiles.push({ level, index, width: widthIn(size, { level, index }) });
  }
  return tiles;
}

/** The number of a tile as a path: 1234067 is `x001/x234/067`. */
function indexPath(index: number): string {
  const groups = String(index)
    .padStart(Math.ceil(String(index).length / 3) * 3, '0')
    .match(/\d{3}/g) as string[];
  return groups.map((group, n) => (n < groups.length - 1 ? `x${group}` : group)).join('/');
}

/** The path of a tile behind the log's prefix. */
export function tilePath(tile: Tile): string {
  return `tile/${tile.level}/${resourcePath(tile)}`;
}

/** The path of a bundle of entries: those of the leaves of the tile of level 0 of this number. */
export function entriesPath(tile: Omit<Tile, 'level'>): string {
  return `tile/entries/${resourcePath(tile)}`;
}

function resourcePath({ index, width }: Omit<Tile, 'level'>): string {
  return indexPath(index) + (width === tileWidth ? '' : `.p/${width}`);
}

/** What a path behind the log's prefix names: a tile, or a bundle of entries. Undefined for a path of another form. */
export function readTilePath(path: string): (Tile & { readonly kind: 'tile' | 'entries' }) | undefined {
  const [, level = '', index = '', partial] =
    /^tile\/(entries|\d|[1-5]\d|6[0-3])\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(path) ?? [];
  const groups = index.replaceAll(/[x/]/g, '');
  const width = partial === undefined ? tileWidth : Number(partial);
  const isShortest = groups.length <= 3 || !groups.startsWith('000');
  // Beyond 15 digits a number is not exact.
  if (groups === '' || groups.length > 15 || !isShortest || (partial !== undefined && width >= tileWidth))
    return undefined;
  const isEntries = level === 'entries';
  return {
    kind: isEntries ? 'entries' : 'tile',
    level: isEntries ? 0 : Number(level),
    index: Number(groups),
    width,
  };
}

/** The hashes of a tile's bytes. */
export function hashesOf(bytes: Buffer): Hash[] {
  return Array.from({ length: bytes.length / hashBytes }, (_, n) =>
    bytes.subarray(n * hashBytes, (n + 1) * hashBytes),
  );
}

/** The subtrees whose hashes a tile has. */
export function subtreesOf({ level }: Pick<Tile, 'level'>, hashes: readonly Hash[]): Subtree[] {
  const size = tileWidth ** level;
  return hashes.map((hash) => ({ size, hash }));
}

/** A tile with its hashes. */
export type FilledTile = Pick<Tile, 'level' | 'index'> & { readonly hashes: readonly Hash[] };

/** The right edge of a growing tree: of each level the tile that is not full. */
export class TileEdge {
  /** By level: the number of its last tile, which is not full, and that tile's hashes. */
  readonly #levels: { index: number; hashes: Hash[] }[];
  #size: number;

  /** @param edge of each level, from 0 on, the hashes of its tile that is not full, none where all are. */
  constructor(size = 0, edge: readonly (readonly Hash[])[] = []) {
    this.#size = size;
    this.#levels = edge.map((hashes, level) => ({
      index: Math.floor(countAt(level, size) / tileWidth),
      hashes: [...hashes],
    }));
  }

  /** How many leaves the tree has. */
  get size(): number {
    return this.#size;
  }

  /** The tree's root. */
  get root(): Hash {
    return rootOf(
      this.#levels
        .toReversed()
        .flatMap(({ hashes }, n) => subtreesOf({ level: this.#levels.length - 1 - n }, hashes)),
    );
  }

  /** Appends leaves. @returns the tiles that have grown, as they are now. */
  append(leaves: readonly Hash[]): FilledTile[] {
    const grown = new Map<string, FilledTile>();
    for (const leaf of leaves) this.#add(0, leaf, grown);
    this.#size += leaves.length;
    return [...grown.values()];
  }

  #add(level: number, hash: Hash, grown: Map<string, FilledTile>): void {
    let tile = this.#levels[level];
    if (tile === undefined) {
      tile = { index: 0, hashes: [] };
      this.#levels.push(tile);
    }
    tile.hashes.push(hash);
    const { index, hashes } = tile;
    grown.set(`${level}/${index}`, { level, index, hashes });
    if (hashes.length < tileWidth) return;
    this.#levels[level] = { index: index + 1, hashes: [] };
    this.#add(level + 1, rootOf(subtreesOf({ level: 0 }, hashes)), grown);
  }
}
