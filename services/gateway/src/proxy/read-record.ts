import type { StatisticsSeries } from '@sigcast/contracts';
import { checkpointOf, entriesOf, entriesPath, tileWidth, widthIn } from '@sigcast/tlog';
import type { RecordedLog, TrackRecord, WholeStatistics } from '../domain/record.ts';
import type { ReadPublicLog } from '../routes/get-log.ts';
import { ifFound, type PublicAnswer } from './public-answers.ts';

/** How many of the log's newest entries the record names. */
const newestEntries = 10;

/**
 * Reads the record: statistics as any client gets them, and the public log.
 * @throws {SigcastError} SERVICE_UNAVAILABLE while a service does not answer.
 */
export function readRecord(stats: PublicAnswer, readLog: ReadPublicLog): () => Promise<TrackRecord> {
  return async () => {
    const [statistics, { points }, log] = await Promise.all([
      stats<WholeStatistics>('/v1/stats?include=distribution,realizable'),
      stats<StatisticsSeries>('/v1/stats/series?period=all&interval=month&include=realizable'),
      readNewest(readLog),
    ]);
    return { statistics, months: points, log };
  };
}

/** The log at its newest checkpoint; null where there is none. */
async function readNewest(readLog: ReadPublicLog): Promise<RecordedLog | null> {
  const read = async (path: string) => (await readLog(`/log/${path}`, { acceptEncoding: undefined })).bytes;
  const note = await ifFound(read('checkpoint'));
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
