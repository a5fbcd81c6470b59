import { storeCall } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import { allTime } from './cells.ts';
import { openChangeLog, type Span } from './change-log.ts';
import type { Distributions } from './distribution.ts';
import type { Figures } from './figures.ts';
import { maxLagMs, openReader } from './reader.ts';
import { openRefresher, type UnknownCount } from './refresher.ts';
import { notCounted, openReplica } from './replica.ts';
import { type AggregateSource, type Dirty, dirtyExpression, openSource } from './source.ts';

/** Which documents figures are of: created after `after` (absent: ever), up to and including `until` (absent: whenever). */
export type Period = { readonly after?: Date | undefined; readonly until?: Date | undefined };

/**
 * Figures of a collection by time of creation, at a cost that does not grow with the collection. Several processes may use
 * and refresh them at once. Every method throws SERVICE_UNAVAILABLE while the store can't be reached.
 */
export type Aggregates = {
  /** What to set `dirty` to in a new document. */
  dirtyInsert(): Dirty;
  /** What to set `dirty` to in an update that is a pipeline. */
  readonly dirtyUpdate: object;
  /**
   * Figures as of an instant up to a second ago; the period may depend on it. Every write that was done before that instant
   * counts.
   */
  read(period: (asOf: Date) => Period): Promise<{ readonly asOf: Date; readonly figures: Figures }>;
  /**
   * The same, with the distributions of a source that has some. SERVICE_UNAVAILABLE also while those of many cells are
   * not known: at the first start of a version that has them, and while processes of an earlier one take changes in.
   */
  readDistributions(
    period: (asOf: Date) => Period,
  ): Promise<{ readonly asOf: Date; readonly figures: Figures; readonly distributions: Distributions }>;
  /**
   * The figures for charts: those of each interval of a period, by its start in milliseconds. An interval is an hour or
   * a day (UTC); one without documents may be absent.
   */
  readSeries(
    period: (asOf: Date) => Period,
    intervalMs: number,
  ): Promise<{ readonly asOf: Date; readonly series: ReadonlyMap<number, Figures> }>;
  /** Figures with every write that was done before the call. For measures that are sums. */
  readNow(period: Period): Promise<Figures>;
  /** Takes in changes. @returns false when there may be more. */
  refresh(): Promise<boolean>;
  /** Takes in changes unless another process is at it. @returns false when there may be more for this one to do. */
  keepUp(): Promise<boolean>;
  /** Counts all documents, unless that was done. Figures can't be read before. */
  build(signal?: AbortSignal): Promise<void>;
  /** Counts all documents anew, while all goes on: some may have been removed, which nothing else tells. */
  rebuild(signal?: AbortSignal): Promise<void>;
  /** Counts some documents anew whose distributions are not known. It costs no command of the store where there are none. */
  countUnknown(): Promise<UnknownCount>;
  /**
   * Counts some documents anew, others each time, and puts right what was counted of them otherwise: by a process of an
   * older version, say, that does not mark what it changes.
   * @returns false when that was so.
   */
  audit(): Promise<boolean>;
  /** Whether few changes wait. Who writes much waits until it is so, as reading gets dearer with what waits. */
  hasRoom(): Promise<boolean>;
};

/** A process that has seen another one take in changes within this time leaves them to it. */
const othersLeadForMs = 1_000;
/** Reading so many takes some 20 ms. */
const roomFor = 2_000;

/** The aggregates of a collection, in the collections `aggregate_cells` and `aggregate_log` beside it. */
export function openAggregates(
  connection: Connection,
  spec: AggregateSource,
  now: () => Date = () => new Date(),
): Aggregates {
  const { measures } = spec;
  const source = openSource(connection, spec);
  const log = openChangeLog(connection);
  const replica = openReplica({ source, log, spec, now });
  const refresher = openRefresher({ source, log, measures, replica, now });
  const { refresh } = refresher;
  const reader = openReader({ source, spec, replica, now, refresh });
  const onceBuilt = async <T>(read: () => Promise<T>): Promise<T> => {
    for (;;) {
      await refresher.build();
      const figures = await read();
      if (replica.hasAll()) return figures; // else the log was found lost meanwhile
    }
  };
  return {
    dirtyInsert: () => ({ at: new Date(), before: {} }),
    dirtyUpdate: dirtyExpression(spec),
    read: (period) => storeCall(() => onceBuilt(() => reader.read((asOf) => toSpan(period(asOf))))),
    readSeries: (period, intervalMs) =>
      storeCall(() => onceBuilt(() => reader.read((asOf) => toSpan(period(asOf)), { intervalMs }))),
    readDistributions: (period) =>
      storeCall(() =>
        onceBuilt(() => reader.read((asOf) => toSpan(period(asOf)), { withDistributions: true })),
      ),
    readNow: (period) => storeCall(() => onceBuilt(() => reader.readNow(toSpan(period)))),
    refresh: () => storeCall(refresh),
    keepUp: () =>
      storeCall(async () => {
        const look = await replica.look();
        const waits = look.dirty.length > 0;
        const othersLead = performance.now() - replica.othersSeenAtMs() < othersLeadForMs;
        const lagMs = now().getTime() - (replica.exactAt()?.getTime() ?? 0);
        const isLate = notCounted(look).length > 0 && lagMs > maxLagMs;
        return !waits || (othersLead && !isLate) || refresh(look);
      }),
    build: (signal) => storeCall(() => refresher.build(signal)),
    rebuild: (signal) => storeCall(() => refresher.rebuild(signal)),
    countUnknown: () => storeCall(() => refresher.countUnknown()),
    audit: () => storeCall(() => refresher.audit()),
    hasRoom: () => storeCall(async () => (await source.countDirty(roomFor)) < roomFor),
  };
}

/** Instants are whole milliseconds. */
function toSpan({ after, until }: Period): Span {
  return {
    fromMs: after === undefined ? allTime.fromMs : after.getTime() + 1,
    toMs: until === undefined ? allTime.toMs : until.getTime() + 1,
  };
}
