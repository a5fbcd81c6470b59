import type { Tile, TileReader } from '@sigcast/tlog';
import type { PublicLog } from './ports.ts';

const lostTile = ({ index, level }: Tile): Error =>
  new Error(`the log has lost its tile ${index} of level ${level}`);

/** Reads tiles of a tree that is published, so that the log has all of them. @param lost what is thrown where one is not there. */
export function tileReader(log: Pick<PublicLog, 'tile'>, lost = lostTile): TileReader {
  return async (tile) => {
    const hashes = await log.tile(tile);
    if (hashes === undefined) throw lost(tile);
    return hashes;
  };
}
