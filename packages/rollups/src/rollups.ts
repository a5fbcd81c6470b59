import { openHorizon, storeCall } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import { openBucketStore } from './bucket-store.ts';
import { build, fold, foldBatch } from './fold.ts';
import { rollupReader } from './read.ts';
import { type Mark, openSource, type RollupSource } from './source.ts';
import type { TallyEntry } from './tally.ts';

/**
 * Figures of a collection by time of creation, exact at every instant and at a cost that does not grow with it.
 * Every method throws SERVICE_UNAVAILABLE while the store can't be reached.
 */
export type Rollups = {
  /** What to set `uncounted` to in a write that makes revision `rev` of a document; to be written at once. */
  mark(rev: number): Mark;
  /**
   * The figures of what was created after `after` (absent: since ever) up to and including `until` (absent: whenever),
   * by type and status. Every write that was done before the call counts.
   */
  read(period: {
    readonly after?: Date | undefined;
    readonly until?: Date | undefined;
  }): Promise<readonly TallyEntry[]>;
  /** Takes some changes over into the buckets. @returns false when there may be more. */
  fold(): Promise<boolean>;
  /** Makes buckets for what the collection holds without any. Reads are exact, if slow, before, meanwhile and if aborted. */
  build(signal?: AbortSignal): Promise<void>;
  /** Drops all buckets and builds them again, after documents were removed: of that no mark is left. */
  rebuild(signal?: AbortSignal): Promise<void>;
};

/**
 * The rollups of a collection, in the collection `rollups` beside it.
 * Several replicas may use, fold and build them at once.
 */
export function openRollups(
  connection: Connection,
  spec: RollupSource,
  now: () => Date = () => new Date(),
): Rollups {
  const parts = {
    horizon: openHorizon(),
    now,
    source: openSource(connection, spec),
    buckets: openBucketStore(connection, 'rollups'),
    measures: spec.measures,
  };
  const read = rollupReader(parts);
  return {
    mark: (rev) => ({ at: now(), rev }),
    read: ({ after, until }) =>
      storeCall(() =>
        read({
          // Instants are whole milliseconds.
          fromMs: after === undefined ? Number.NEGATIVE_INFINITY : after.getTime() + 1,
          toMs: until === undefined ? Number.POSITIVE_INFINITY : until.getTime() + 1,
        }),
      ),
    fold: () => storeCall(async () => (await fold(parts)) < foldBatch),
    rebuild: (signal) =>
      storeCall(async () => {
        await parts.buckets.clear();
        await build(parts, signal);
      }),
    build: (signal) => storeCall(() => build(parts, signal)),
  };
}
