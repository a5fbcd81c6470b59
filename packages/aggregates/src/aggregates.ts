import { storeCall } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import { allTime } from './cells.ts';
import { openChangeLog, type Span } from './change-log.ts';
import type { Figures } from './figures.ts';
import { maxLagMs, openReader, type Reading, type ReadOptions } from './reader.ts';
import { openRefresher } from './refresher.ts';
import { notCounted, openReplica } from './replica.ts';
import { type AggregateSource, type Dirty, dirtyExpression, openSource } from './source.ts';

/** The documents created after `after` (absent: from the beginning), up to and including `until` (absent: no end). */
export type Period = { readonly after?: Date | undefined; readonly until?: Date | undefined };

/**
 * Figures of a collection by time of creation. Their cost does not grow with the collection. Several processes may use and
 * refresh them at once. Every method throws SERVICE_UNAVAILABLE while the store can't be reached.
 */
export type Aggregates = {
  /** The value of `dirty` for a new document. */
  dirtyInsert(): Dirty;
  /** The expression for `dirty` in an update pipeline. */
  readonly dirtyUpdate: object;
  /**
   * Figures as of an instant up to a second ago, or a minute where the store can't keep up. The period may depend on that
   * instant.
   */
  read(period: (asOf: Date) => Period, options?: ReadOptions): Promise<Reading>;
  /** Figures that count every write before the call. For measures that are sums. */
  readNow(period: Period): Promise<Figures>;
  /** Counts changed documents. @returns false when there may be more. */
  refresh(): Promise<boolean>;
  /** Counts changed documents, unless another process does that. @returns `more` when there may be more to count. */
  refreshIfNeeded(): Promise<'nothing changed' | 'done' | 'more'>;
  /** Calls `listener` at each read and each {@link Aggregates.hasRoom}: newer figures are wanted soon. */
  whenUsed(listener: () => void): void;
  /** Counts all documents, unless that was done before. Reads need it. */
  build(signal?: AbortSignal): Promise<void>;
  /** Counts all documents again while reads and writes go on. Needed after documents were removed, and for a new distribution. */
  rebuild(signal?: AbortSignal): Promise<void>;
  /**
   * Counts some documents again, others at each call, and corrects figures that differ.
   * @returns false when there was a difference.
   */
  audit(): Promise<boolean>;
  /** Whether few changes wait to be counted. Writers of many documents wait for it, as each such change makes reads slower. */
  hasRoom(): Promise<boolean>;
};

/** A process leaves refreshing to another one that has refreshed within this time. */
const othersLeadForMs = 1_000;
/** There is room while fewer changes wait. Reading so many takes some 20 ms. */
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
  let noteUse = () => {};
  const onceBuilt = async <T>(read: () => Promise<T>): Promise<T> => {
    noteUse();
    for (;;) {
      await refresher.build();
      const figures = await read();
      if (replica.isComplete()) return figures; // otherwise the log was lost meanwhile
    }
  };
  return {
    dirtyInsert: () => ({ at: new Date(), before: {} }),
    dirtyUpdate: dirtyExpression(spec),
    read: (period, options) =>
      storeCall(() => onceBuilt(() => reader.read((asOf) => toSpan(period(asOf)), options))),
    readNow: (period) => storeCall(() => onceBuilt(() => reader.readNow(toSpan(period)))),
    refresh: () => storeCall(refresh),
    refreshIfNeeded: () =>
      storeCall(async () => {
        const snapshot = await replica.takeSnapshot();
        if (snapshot.dirty.length === 0) return 'nothing changed';
        const othersLead = performance.now() - replica.othersSeenAtMs() < othersLeadForMs;
        const lagMs = now().getTime() - (replica.exactAt()?.getTime() ?? 0);
        const isLate = notCounted(snapshot).length > 0 && lagMs > maxLagMs;
        return (othersLead && !isLate) || (await refresh(snapshot)) ? 'done' : 'more';
      }),
    whenUsed: (listener) => {
      noteUse = listener;
    },
    build: (signal) => storeCall(() => refresher.build(signal)),
    rebuild: (signal) => storeCall(() => refresher.rebuild(signal)),
    audit: () => storeCall(() => refresher.audit()),
    hasRoom: () => {
      noteUse();
      return storeCall(async () => (await source.countDirty(roomFor)) < roomFor);
    },
  };
}

/** A period excludes its beginning and includes its end; a span is the other way round. */
function toSpan({ after, until }: Period): Span {
  return {
    fromMs: after === undefined ? allTime.fromMs : after.getTime() + 1,
    toMs: until === undefined ? allTime.toMs : until.getTime() + 1,
  };
}
