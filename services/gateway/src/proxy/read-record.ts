import type { StatisticsSeries } from '@sigcast/contracts';
import { checkpointOf, entriesOf, entriesPath, tileWidth, widthIn } from '@sigcast/tlog';
import type { RecordedLog, TrackRecord, WholeStatistics } from '../domain/record.ts';
import type { ReadPublicLog } from '../routes/get-log.ts';
import { inTime } from '../routes/in-time.ts';
import { madeOnce } from '../routes/packed-file.ts';
import { ifFound, type PublicAnswer } from './public-answers.ts';

/** How many of the log's newest entries the record names. */
const newestEntries = 10;
/** How long the record waits for the log, in milliseconds: less than the first page waits for the record. */
const logTimeoutMs = 1_000;

type Figures = Omit<TrackRecord, 'log'>;

/**
 * Puts the record together, without the log while that can't be read. What is read anew makes a record anew.
 * @throws {SigcastError} SERVICE_UNAVAILABLE where the figures can't be read.
 */
export function readRecord(
  readFigures: () => Promise<Figures>,
  readLog: () => Promise<RecordedLog | null>,
): () => Promise<TrackRecord> {
  const together = madeOnce((figures: Figures, log: TrackRecord['log']) => ({ ...figures, log }));
  return async () => together(...(await Promise.all([readFigures(), inTime(readLog(), logTimeoutMs)])));
}

/**
 * Reads the figures of the record: statistics as any client gets them.
 * @throws {SigcastError} SERVICE_UNAVAILABLE while the service does not answer.
 */
export async function readRecordedFigures(stats: PublicAnswer): Promise<Figures> {
  const [statistics, { points }] = await Promise.all([
    stats<WholeStatistics>('/v1/stats?include=distribution,realizable'),
    stats<StatisticsSeries>('/v1/stats/series?period=all&interval=month&include=realizable'),
  ]);
  return { statistics, months: points };
}

/** Reads the log at its newest checkpoint; null where there is none. @throws {SigcastError} SERVICE_UNAVAILABLE. */
export async function readRecordedLog(readLog: ReadPublicLog): Promise<RecordedLog | null> {
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
