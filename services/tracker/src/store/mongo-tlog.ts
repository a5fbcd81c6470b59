import { type IndexSpec, isInserted, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import { type FilledTile, hashBytes, hashesOf, type Tile, tileWidth } from '@sigcast/tlog';
import { type Connection, mongo } from 'mongoose';
import type { EntryKind, LogEntry } from '../domain/tlog/entry.ts';
import type { LogStore, PublicLog, WaitingEntries } from '../domain/tlog/ports.ts';

/** An entry that waits. `_id` is its subject. */
type WaitingDocument = { _id: string; kind: EntryKind; signal: string; text: string; at: Date };
/** An entry of the log. `_id` is its number: two writers never both have the next one. */
type EntryDocument = { _id: number; subject: string; kind: EntryKind; signal: string; text: string };
/** A tile, `level/index`, with its hashes one behind the other. */
type TileDocument = { _id: string; width: number; hashes: mongo.Binary };
/** The log's newest checkpoint (`checkpoint`), and who writes (`writer`). */
type StateDocument = { _id: string; size?: number; note?: string; owner?: string; until?: Date; at?: Date };

const names = {
  waiting: 'log_waiting',
  entries: 'log_entries',
  tiles: 'log_tiles',
  state: 'log_state',
} as const;
/** So many tiles stay in memory, 8 kB each at most. */
const keptTiles = 512;
const indexNames = { oldest: 'oldest', subject: 'subject_unique', signal: 'by_signal' } as const;

/** The indexes of the log's collections. */
export const logIndexes = {
  [names.waiting]: [{ name: indexNames.oldest, key: { at: 1 } }],
  [names.entries]: [
    { name: indexNames.subject, key: { subject: 1 }, unique: true },
    { name: indexNames.signal, key: { signal: 1, _id: 1 } },
  ],
} satisfies Record<string, readonly IndexSpec[]>;

function collections(connection: Connection) {
  return {
    waiting: connection.collection<WaitingDocument>(names.waiting),
    entries: connection.collection<EntryDocument>(names.entries),
    tiles: connection.collection<TileDocument>(names.tiles),
    state: connection.collection<StateDocument>(names.state),
  };
}

/** The entries that wait, in MongoDB. Those that come together are written together. */
export function mongoWaitingEntries(
  connection: Connection,
  { now = () => new Date(), lingerMs = 0 }: { readonly now?: () => Date; readonly lingerMs?: number } = {},
): WaitingEntries {
  const { waiting } = collections(connection);
  const add = (batch: readonly LogEntry[]) =>
    storeCall(async () => {
      const at = now();
      const documents = new Map(
        batch.map(({ subject, ...entry }) => [subject, { _id: subject, ...entry, at }]),
      );
      await isInserted(() => waiting.insertMany([...documents.values()], { ordered: false }));
      return batch.map(() => undefined);
    });
  return { add: inBatches(add, { most: 200, atOnce: 1, lingerMs }) };
}

/** How many entries wait, 10,000 at most, and since when the oldest does. */
export function waitingEntries(connection: Connection) {
  const { waiting } = collections(connection);
  return storeCall(async () => {
    const hint = indexNames.oldest;
    const [count, oldest] = await Promise.all([
      waiting.countDocuments({ at: { $exists: true } }, { limit: 10_000, hint }),
      waiting
        .find({}, { projection: { at: 1 } })
        .sort({ at: 1 })
        .limit(1)
        .hint(hint)
        .next(),
    ]);
    return { count, since: oldest?.at };
  });
}

/**
 * The log in MongoDB, as anybody reads it. The hashes of a tile never change, so tiles that were read last stay in memory: as
 * bytes, because a buffer for each of 131,000 hashes would keep the garbage collector busy for longer than a proof takes.
 */
export function mongoPublicLog(connection: Connection): PublicLog {
  const kept = new Map<string, Buffer>();
  const { tile: stored, ...log } = storedLog(connection);
  return {
    ...log,
    tile: async (tile) => {
      const id = tileId(tile);
      const known = kept.get(id);
      const bytes = known && known.length >= lengthOf(tile) ? known : await stored(tile);
      if (bytes === undefined) return undefined;
      keepNewest(kept, id, bytes);
      return hashesIn(bytes, tile);
    },
  };
}

/** The log in MongoDB. `tile`: the bytes of a tile of this width or more. */
function storedLog(connection: Connection) {
  const { entries, tiles, state } = collections(connection);
  return {
    checkpoint: () =>
      storeCall(async () => {
        const { size, note } = (await state.findOne({ _id: 'checkpoint' })) ?? {};
        return size === undefined || note === undefined ? undefined : { size, note };
      }),

    tile: ({ level, index, width }: Tile) =>
      storeCall(async () => {
        const found = await tiles.findOne({ _id: tileId({ level, index }), width: { $gte: width } });
        return found === null ? undefined : Buffer.from(found.hashes.buffer);
      }),

    bundle: ({ index, width }: Pick<Tile, 'index' | 'width'>) =>
      storeCall(async () => {
        const from = index * tileWidth;
        const found = await entries
          .find({ _id: { $gte: from, $lt: from + width } }, { projection: { text: 1 } })
          .sort({ _id: 1 })
          .toArray();
        return found.length < width ? undefined : found.map(({ text }) => Buffer.from(text));
      }),

    about: (signal: string) =>
      storeCall(async () => {
        const found = await entries.find({ signal }).sort({ _id: 1 }).hint(indexNames.signal).toArray();
        return found.map(({ _id: index, kind, text }) => ({ index, kind, text }));
      }),
  };
}

/** The log in MongoDB, for its writer, which keeps nothing in memory. Every write counts when a majority has it, and reads return only such writes. */
export function mongoLogStore(connection: Connection, owner: string): LogStore {
  const { waiting, entries, tiles, state } = collections(connection);
  const { checkpoint, tile } = storedLog(connection);
  return {
    checkpoint,
    tile: async (wanted) => {
      const bytes = await tile(wanted);
      return bytes && hashesIn(bytes, wanted);
    },

    lease: (until, now) =>
      storeCall(async () => {
        const mine = { _id: 'writer', $or: [{ owner }, { until: { $lte: now } }] };
        // Where another process has the lease, the insertion of a second one is refused.
        const options = { upsert: true, returnDocument: 'after' } as const;
        let at: Date | undefined;
        await isInserted(async () => {
          const update = [{ $set: { owner, until, at: '$$NOW' } }];
          at = (await state.findOneAndUpdate(mine, update, options))?.at;
        });
        return at;
      }),

    release: (now) =>
      storeCall(async () => {
        await state.updateOne({ _id: 'writer', owner }, { $set: { until: now } });
      }),

    waiting: (limit) =>
      storeCall(async () => {
        const found = await waiting.find({}).sort({ at: 1 }).limit(limit).hint(indexNames.oldest).toArray();
        return found.map(({ _id: subject, kind, signal, text }) => ({ subject, kind, signal, text }));
      }),

    known: (subjects) =>
      storeCall(async () => {
        const found = await entries
          .find({ subject: { $in: [...subjects] } }, { projection: { subject: 1 }, hint: indexNames.subject })
          .toArray();
        return new Set(found.map(({ subject }) => subject));
      }),

    append: (from, some) =>
      storeCall(() => {
        const numbered = some.map((entry, n) => ({ _id: from + n, ...entry }));
        // In order: an entry is stored only when all before it are.
        return isInserted(() => entries.insertMany(numbered, { ordered: true }));
      }),

    from: (index) => entries.find({ _id: { $gte: index } }, { projection: { text: 1 } }).sort({ _id: 1 }),

    fill: (some) =>
      storeCall(async () => {
        await Promise.all(some.map((one) => widen(tiles, one)));
      }),

    publish: ({ size, note }) =>
      storeCall(async () => {
        const filter = { _id: 'checkpoint', size: { $lte: size } };
        await isInserted(() => state.updateOne(filter, { $set: { size, note } }, { upsert: true }));
      }),

    done: (subjects) =>
      storeCall(async () => {
        await waiting.deleteMany({ _id: { $in: [...subjects] } });
      }),
  };
}

/** The bytes of a tile's hashes. */
const lengthOf = ({ width }: Pick<Tile, 'width'>): number => width * hashBytes;

/** The hashes of a tile, from its bytes or those of a wider one. */
const hashesIn = (bytes: Buffer, tile: Tile) => hashesOf(bytes.subarray(0, lengthOf(tile)));

/** Puts a tile behind those that were read before it, and drops the first where there are too many. */
function keepNewest(tiles: Map<string, Buffer>, id: string, bytes: Buffer): void {
  tiles.delete(id);
  tiles.set(id, bytes);
  const [oldest] = tiles.keys();
  if (tiles.size > keptTiles && oldest !== undefined) tiles.delete(oldest);
}

function tileId({ level, index }: Pick<FilledTile, 'level' | 'index'>): string {
  return `${level}/${index}`;
}

/** Writes a tile. Where a wider one is stored, the insertion of a second one is refused. */
async function widen(tiles: mongo.Collection<TileDocument>, { hashes, ...tile }: FilledTile): Promise<void> {
  const width = hashes.length;
  const filled = { width, hashes: new mongo.Binary(Buffer.concat(hashes)) };
  const narrower = { _id: tileId(tile), width: { $lt: width } };
  await isInserted(() => tiles.updateOne(narrower, { $set: filled }, { upsert: true }));
}
