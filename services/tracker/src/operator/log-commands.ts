import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { signalIdSchema } from '@sigcast/contracts';
import { CommandFailed, readOptions } from '@sigcast/operator';
import { entriesPath, entryBundle, tilePath, tilesOf } from '@sigcast/tlog';
import { z } from 'zod';
import { correctionOf } from '../domain/tlog/entry.ts';
import type { PublicLog, StoredCheckpoint } from '../domain/tlog/ports.ts';
import type { Command } from './command.ts';

/** `log export`: writes the whole log as the files that the gateway serves, for any static host. */
const exportLog: Command = {
  usage: 'log export --out FOLDER',
  summary:
    'Writes the public log as static files into a folder: checkpoint, tiles and entries. Files that are there already are written again, the checkpoint last.',
  run: async ({ args, withLog }) => {
    const { out } = readOptions(args, { shape: { out: z.string().min(1) } });
    return withLog(async ({ log }) => {
      const checkpoint = await newestOf(log);
      for await (const [path, bytes] of filesOf(log, checkpoint)) {
        const file = join(out, ...path.split('/'));
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, bytes);
      }
      const { size: entries } = checkpoint;
      return { data: { entries, out }, text: `${entries} entries are in ${out}` };
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
      await waiting.add(correctionOf({ id, signal, why }, new Date()));
      return { data: { id, signal }, text: `The correction ${id} waits for the log` };
    });
  },
};

export const logCommands = { export: exportLog, correct } satisfies Record<string, Command>;

async function newestOf(log: PublicLog): Promise<StoredCheckpoint> {
  const checkpoint = await log.checkpoint();
  if (checkpoint === undefined)
    throw new CommandFailed('no_log', 'there is no checkpoint: there is no log, or not yet');
  return checkpoint;
}

/** The files of a log as of a checkpoint, which comes last. */
async function* filesOf(
  log: PublicLog,
  { size, note }: StoredCheckpoint,
): AsyncGenerator<readonly [path: string, bytes: Buffer | string]> {
  for (const tile of tilesOf(size)) {
    const hashes = await log.tile(tile);
    const entries = tile.level === 0 ? await log.bundle(tile) : [];
    if (hashes === undefined || entries === undefined)
      throw new CommandFailed('damaged', `the log has lost ${tilePath(tile)}`);
    yield [tilePath(tile), Buffer.concat(hashes)];
    if (tile.level === 0) yield [entriesPath(tile), entryBundle(entries)];
  }
  yield ['checkpoint', note];
}
