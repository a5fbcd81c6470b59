import { randomUUID } from 'node:crypto';
import { access, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { signalIdSchema } from '@sigcast/contracts';
import { CommandFailed, readOptions } from '@sigcast/operator';
import {
  type Checkpoint,
  checkpointOf,
  entriesOf,
  entriesPath,
  entryBundle,
  inclusionProof,
  isSignedBy,
  leafHash,
  readNote,
  readVerifierKey,
  rootOfInclusion,
  type Tile,
  TileEdge,
  tilePath,
  tilesOf,
  tileWidth,
  widthIn,
} from '@sigcast/tlog';
import { z } from 'zod';
import { correctionOf, entryOfText } from '../domain/tlog/entry.ts';
import type { LogStore, PublicLog, StoredCheckpoint } from '../domain/tlog/ports.ts';
import { tileReader } from '../domain/tlog/tile-reader.ts';
import type { Command } from './command.ts';

/** `log export`: writes the whole log as the files that the gateway serves, for any static host. */
const exportLog: Command = {
  usage: 'log export --out FOLDER',
  summary:
    'Writes the public log as static files into a folder: checkpoint, tiles and entries. What is there already and can’t change stays; the checkpoint comes last.',
  run: async ({ args, withLog }) => {
    const { out } = readOptions(args, { shape: { out: z.string().min(1) } });
    return withLog(async ({ log }) => {
      const checkpoint = await newestOf(log);
      const copied = await fileIn(out, 'checkpoint').then(
        (note) => checkpointOf(String(note)),
        () => undefined,
      );
      if (copied !== undefined && copied.size > checkpoint.size)
        throw new CommandFailed(
          'behind_copy',
          `the log has ${checkpoint.size} entries, and its copy ${copied.size}: import the copy`,
        );
      if (copied !== undefined && !(await rootAt(log, copied.size))?.equals(copied.root))
        throw new CommandFailed(
          'another_history',
          `the first ${copied.size} entries of the log are not those of the copy in ${out}: keep the copy, and choose another folder`,
        );
      const isThere = (path: string) =>
        access(pathIn(out, path)).then(
          () => true,
          () => false,
        );
      for await (const [path, bytes] of filesOf(log, checkpoint, isThere)) {
        const file = pathIn(out, path);
        await mkdir(dirname(file), { recursive: true });
        // A half-written file would be taken for one that is there.
        await writeFile(`${file}.part`, bytes);
        await rename(`${file}.part`, file);
      }
      const { size: entries } = checkpoint;
      return { data: { entries, out }, text: `${entries} entries are in ${out}` };
    });
  },
};

/** How long an import keeps every writer from the log, in milliseconds. */
const importMs = 600_000;

/** `log import`: appends the entries of a copy that the store lacks. The next writer publishes them. */
const importLog: Command = {
  usage: 'log import --from FOLDER --key KEY',
  summary:
    'Appends what the public log lacks of a copy that `log export` has written: after a restore from a back-up, before a tracker starts. KEY is the log’s, as /log/key gives it.',
  run: async ({ args, withLog }) => {
    const { from, key } = readOptions(args, {
      shape: { from: z.string().min(1), key: z.string().refine(isKey, 'must be a key of a log') },
    });
    return withLog(async ({ store }) => {
      const { size: entries } = await verifiedCopy(from, key);
      const now = new Date();
      if ((await store.lease(new Date(now.getTime() + importMs), now)) === undefined)
        throw new CommandFailed('busy', 'a tracker writes the log: stop all trackers');
      try {
        const appended = await appendCopy(store, from, entries);
        const text = `${appended} entries were appended, of ${entries} in ${from}`;
        return { data: { appended, entries }, text };
      } finally {
        await store.release(new Date());
      }
    });
  },
};

/** `log correct`: enters what was wrong of a signal. */
const correct: Command = {
  usage: 'log correct --signal SIGNAL_ID --why TEXT',
  summary:
    'Enters a correction into the public log: what was wrong of a signal, and why. It can never be removed, as nothing can.',
  run: async ({ args, withLog }) => {
    const { signal, why } = readOptions(args, {
      shape: { signal: signalIdSchema, why: z.string().trim().min(1).max(2_000) },
    });
    return withLog(async ({ log, waiting }) => {
      if ((await log.about(signal)).length === 0)
        throw new CommandFailed('not_found', `the log has no entry about the signal ${signal}`);
      const id = randomUUID();
      await waiting.add(correctionOf({ id, signal, why }));
      return { data: { id, signal }, text: `The correction ${id} waits for the log` };
    });
  },
};

export const logCommands = { export: exportLog, import: importLog, correct } satisfies Record<
  string,
  Command
>;

async function newestOf(log: PublicLog): Promise<StoredCheckpoint> {
  const checkpoint = await log.checkpoint();
  if (checkpoint === undefined)
    throw new CommandFailed('no_log', 'there is no checkpoint: there is no log, or not yet');
  return checkpoint;
}

/** The root of the tree of the first `size` entries; undefined for none. */
async function rootAt(log: PublicLog, size: number): Promise<Buffer | undefined> {
  const read = tileReader(log, lostTile);
  const index = size - 1;
  if (index < 0) return undefined;
  const proof = await inclusionProof(index, size, read);
  const tile = { level: 0, index: Math.floor(index / tileWidth) };
  const leaf = (await read({ ...tile, width: widthIn(size, tile) })).at(-1);
  return leaf && rootOfInclusion(leaf, { index, size, proof });
}

const lostTile = (tile: Tile) => new CommandFailed('damaged', `the log has lost ${tilePath(tile)}`);

function isKey(text: string): boolean {
  try {
    return readVerifierKey(text) !== undefined;
  } catch {
    return false;
  }
}

function pathIn(folder: string, path: string): string {
  return join(folder, ...path.split('/'));
}

async function fileIn(folder: string, path: string): Promise<Buffer> {
  try {
    return await readFile(pathIn(folder, path));
  } catch (error) {
    throw new CommandFailed('no_file', `${path} in ${folder} can't be read: ${(error as Error).message}`);
  }
}

/** The checkpoint of a copy. @throws {CommandFailed} unless the key has signed it, and for the entries of the copy. */
async function verifiedCopy(folder: string, key: string): Promise<Checkpoint> {
  const note = String(await fileIn(folder, 'checkpoint'));
  const checkpoint = checkpointOf(note);
  const signed = readNote(note);
  if (checkpoint === undefined || signed === undefined || !isSignedBy(signed, readVerifierKey(key)))
    throw new CommandFailed('not_signed', `the key has not signed the checkpoint in ${folder}`);
  const tree = new TileEdge();
  for await (const texts of copiedEntries(folder, checkpoint.size))
    tree.append(texts.map((text) => leafHash(Buffer.from(text))));
  if (!tree.root.equals(checkpoint.root))
    throw new CommandFailed('damaged', `the entries in ${folder} are not those of its checkpoint`);
  return checkpoint;
}

/** Appends the entries of a copy behind those that are stored, which have to be its beginning. @returns how many. */
async function appendCopy(store: LogStore, folder: string, size: number): Promise<number> {
  const stored = store.from(0)[Symbol.asyncIterator]();
  let [index, appended] = [0, 0];
  for await (const texts of copiedEntries(folder, size)) {
    const lacking: string[] = [];
    for (const text of texts) {
      const next = lacking.length === 0 ? await stored.next() : undefined;
      if (next === undefined || next.done === true) lacking.push(text);
      else if (next.value.text !== text)
        throw new CommandFailed('another_history', `the stored entry ${index} is not that of ${folder}`);
      index += 1;
    }
    if (lacking.length === 0) continue;
    if (!(await store.append(index - lacking.length, lacking.map(entryOfText))))
      throw new CommandFailed('busy', 'another process writes the log: stop all trackers');
    appended += lacking.length;
  }
  return appended;
}

/** The entries of a copy, bundle after bundle. */
async function* copiedEntries(folder: string, size: number): AsyncGenerator<readonly string[]> {
  for (const tile of tilesOf(size)) {
    if (tile.level > 0) return;
    const entries = entriesOf(await fileIn(folder, entriesPath(tile)));
    if (entries?.length !== tile.width)
      throw new CommandFailed('damaged', `${entriesPath(tile)} in ${folder} breaks off`);
    yield entries.map(String);
  }
}

/** The files of a log as of a checkpoint, which comes last. Those that are there and never change are left out. */
async function* filesOf(
  log: PublicLog,
  { size, note }: StoredCheckpoint,
  isThere: (path: string) => Promise<boolean>,
): AsyncGenerator<readonly [path: string, bytes: Buffer | string]> {
  for (const tile of tilesOf(size)) {
    // Full ones never change. Of level 0, the entries were written first.
    if (tile.width === tileWidth && (await isThere(tilePath(tile)))) continue;
    const hashes = await log.tile(tile);
    const entries = tile.level === 0 ? await log.bundle(tile) : [];
    if (hashes === undefined || entries === undefined) throw lostTile(tile);
    if (tile.level === 0) yield [entriesPath(tile), entryBundle(entries)];
    yield [tilePath(tile), Buffer.concat(hashes)];
  }
  yield ['checkpoint', note];
}
