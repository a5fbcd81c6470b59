import { type FilledTile, type Hash, leafHash, type Tile, TileEdge, type TileReader } from '../src/index.ts';

/** The entry of a number. */
export const entryOf = (n: number): Buffer => Buffer.from(`entry ${n}`);

/** A tree with its tiles in memory, as a log keeps them. */
export function treeOfTiles() {
  const edge = new TileEdge();
  const tiles = new Map<string, readonly Hash[]>();
  const keep = ({ level, index, hashes }: FilledTile) => tiles.set(`${level}/${index}`, [...hashes]);
  const read: TileReader = async ({ level, index, width }: Tile) => {
    const hashes = tiles.get(`${level}/${index}`) ?? [];
    if (width === 0 || hashes.length < width) throw new Error(`no tile ${level}/${index} of width ${width}`);
    return hashes.slice(0, width);
  };
  return {
    edge,
    tiles,
    read,
    grow: (entries: readonly Buffer[]) => {
      for (const tile of edge.append(entries.map(leafHash))) keep(tile);
    },
  };
}
