import { identityHeader, SigcastError, type StatisticsSeries } from '@sigcast/contracts';
import { checkpointOf, entriesOf, entriesPath, tileWidth, widthIn } from '@sigcast/tlog';
import type { RecordedLog, TrackRecord, WholeStatistics } from '../domain/record.ts';
import type { ReadPublicLog } from '../routes/get-log.ts';
import { firstAnswer, readJson } from './ask-service.ts';
import type { IdentityTokens } from './identity.ts';
import type { Upstream } from './upstream.ts';

const timeoutMs = 10_000;
/** In whose name statistics are asked for: that of no account. */
const asker = 'record';
/** How many of the log's newest entries the record names. */
const newestEntries = 10;

/**
 * Reads the record: statistics as any client gets them, and the public log.
 * @throws {SigcastError} SERVICE_UNAVAILABLE while a service does not answer.
 */
export function readRecord(
  stats: Upstream,
  identity: IdentityTokens,
  readLog: ReadPublicLog,
): () => Promise<TrackRecord> {
  const ask = async <T>(path: string): Promise<T> => {
    const headers = { [identityHeader]: identity.tokenFor(asker) };
    const { body } = await firstAnswer(stats, { path, headers, timeoutMs }, [200], readJson);
    return (body as { data: T }).data;
  };
  return async () => {
    const [statistics, { points }, log] = await Promise.all([
      ask<WholeStatistics>('/v1/stats?include=distribution,realizable'),
      ask<StatisticsSeries>('/v1/stats/series?period=all&interval=month&include=realizable'),
      readNewest(readLog),
    ]);
    return { statistics, months: points, log };
  };
}

/** The log at its newest checkpoint; null where there is none. */
async function readNewest(readLog: ReadPublicLog): Promise<RecordedLog | null> {
  const read = async (path: string) => (await readLog(`/log/${path}`, { acceptEncoding: undefined })).bytes;
  const note = await read('checkpoint').catch((error: unknown) => {
    if (error instanceof SigcastError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
  const checkpoint = note && checkpointOf(note.toString());
  if (checkpoint === undefined) return null;
  const { origin, size, root } = checkpoint;
  const last = Math.floor(Math.max(0, size - 1) / tileWidth);
  const width = widthIn(size, { level: 0, index: last });
  const entries = width === 0 ? [] : (entriesOf(await read(entriesPath({ index: last, width }))) ?? []);
  const newest = entries.slice(-newestEntries).map((entry, n, { length }) => {
    const { kind, known_at } = JSON.parse(entry.toString()) as { kind: string; known_at: string };
    return { index: size - length + n, kind, known_at };
  });
  return { origin, entries: size, root: root.toString('base64'), newest: newest.toReversed() };
}
