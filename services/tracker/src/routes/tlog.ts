import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type OperationOf, SigcastError, type SignalProof, signalIdSchema } from '@sigcast/contracts';
import { noQuery, type OperationHandlers, resource } from '@sigcast/http';
import { checkpointOf, entryBundle, inclusionProof, proofText, readTilePath } from '@sigcast/tlog';
import type { IRouter, Request, RequestHandler, Response } from 'express';
import type { NumberedEntry, PublicLog, StoredCheckpoint } from '../domain/tlog/ports.ts';
import { tileReader } from '../domain/tlog/tile-reader.ts';

const compressed = promisify(gzip);

/** A tile, a bundle and a proof never change. */
const forEver = 'public, max-age=31536000, immutable';
/** The longest that a cache keeps a checkpoint, in seconds. */
const checkpointMaxAgeS = 2;
/** And the keys. */
const keyMaxAgeS = 300;

/**
 * Where the log is: `/log/checkpoint`, its tiles and its entries (C2SP tlog-tiles), and a proof of each entry. Public.
 * @param keys the texts of the keys that verify checkpoints, the newest first.
 */
export function tlogRoutes(router: IRouter, log: PublicLog, keys: readonly string[]): void {
  const serve =
    (answer: (req: Request, res: Response) => Promise<void>): RequestHandler =>
    async (req, res) => {
      noQuery(req);
      await answer(req, res);
    };
  resource(router, '/log/checkpoint', {
    GET: serve(async (_req, res) => {
      const { note } = await newestOf(log);
      res.set('Cache-Control', `public, max-age=${checkpointMaxAgeS}`);
      res.type('text/plain; charset=utf-8').send(note);
    }),
  });
  resource(router, '/log/key', {
    GET: serve(async (_req, res) => {
      res.set('Cache-Control', `public, max-age=${keyMaxAgeS}`);
      res.type('text/plain; charset=utf-8').send(`${keys.join('\n')}\n`);
    }),
  });
  resource(router, '/log/tile/*path', {
    GET: serve(async ({ path, headers }, res) => {
      const tile = readTilePath(path.slice('/log/'.length));
      const bytes = tile && (await bytesOf(log, tile));
      if (bytes === undefined) throw notInLog(path);
      res.set('Cache-Control', forEver);
      res.type('application/octet-stream');
      const takesGzip = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
      // Hashes do not get shorter.
      if (tile?.kind !== 'entries' || !takesGzip) {
        res.send(bytes);
        return;
      }
      res.set({ 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
      res.send(await compressed(bytes));
    }),
  });
  resource(router, '/log/proof/:index', {
    GET: serve(async ({ path, params: { index = '' } }, res) => {
      const checkpoint = await newestOf(log);
      if (typeof index !== 'string' || !/^\d{1,15}$/.test(index) || Number(index) >= checkpoint.size)
        throw notInLog(path);
      const { text } = await proofOf(log, Number(index), checkpoint);
      res.set('Cache-Control', 'no-store');
      res.attachment(`${index}.tlog-proof`).type('text/plain; charset=utf-8').send(text);
    }),
  });
}

/** Answers with what the log has about a signal, and proofs. */
export function proofHandlers(log: PublicLog | undefined) {
  return {
    getSignalProof: async ({ path: { signal_id: id } }) => ({ data: await signalProof(log, id) }),
  } satisfies Partial<OperationHandlers<OperationOf<'tracker'>>>;
}

/** @throws {SigcastError} NOT_FOUND where no checkpoint has an entry about the signal. */
async function signalProof(log: PublicLog | undefined, id: string): Promise<SignalProof> {
  const isId = signalIdSchema.safeParse(id).success;
  const [entries, checkpoint] = await Promise.all([isId && log ? log.about(id) : [], log?.checkpoint()]);
  const published = entries.filter(({ index }) => index < (checkpoint?.size ?? 0));
  const { origin } = checkpointOf(checkpoint?.note ?? '') ?? {};
  if (log === undefined || checkpoint === undefined || origin === undefined || published.length === 0) {
    throw new SigcastError('NOT_FOUND', `The log has no entry about the signal ${id}, or none yet`);
  }
  return {
    id,
    origin,
    checkpoint: checkpoint.note,
    entries: await Promise.all(published.map((entry) => provenEntry(log, entry, checkpoint))),
  };
}

async function provenEntry(
  log: PublicLog,
  { index, kind, text }: NumberedEntry,
  checkpoint: StoredCheckpoint,
) {
  const { proof, text: tlog_proof } = await proofOf(log, index, checkpoint);
  return { index, kind, entry: text, proof: proof.map((hash) => hash.toString('base64')), tlog_proof };
}

async function proofOf(log: PublicLog, index: number, { size, note }: StoredCheckpoint) {
  const proof = await inclusionProof(index, size, tileReader(log));
  return { proof, text: proofText({ index, proof, checkpoint: note }) };
}

async function newestOf(log: PublicLog): Promise<StoredCheckpoint> {
  const checkpoint = await log.checkpoint();
  if (checkpoint === undefined) throw new SigcastError('NOT_FOUND', 'The log has no checkpoint yet');
  return checkpoint;
}

/** The bytes of a tile or a bundle, of the tree of the newest checkpoint; undefined where it has not so many entries. */
async function bytesOf(
  log: PublicLog,
  { kind, ...tile }: NonNullable<ReturnType<typeof readTilePath>>,
): Promise<Buffer | undefined> {
  const { size } = await newestOf(log);
  const isPublished = (tile.index * 256 + tile.width) * 256 ** tile.level <= size;
  if (!isPublished) return undefined;
  if (kind === 'tile') {
    const hashes = await log.tile(tile);
    return hashes && Buffer.concat(hashes);
  }
  const entries = await log.bundle(tile);
  return entries && entryBundle(entries);
}

function notInLog(path: string): SigcastError {
  return new SigcastError('NOT_FOUND', `The log has nothing at ${path}`);
}
