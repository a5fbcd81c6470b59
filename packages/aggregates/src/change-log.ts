import { randomUUID } from 'node:crypto';
import type { SignalType } from '@sigcast/contracts';
import { isInserted, noTimeLimit } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import type { Counted } from './figures.ts';

/** A time span in milliseconds, including `fromMs` and excluding `toMs`. */
export type Span = { readonly fromMs: number; readonly toMs: number };

/** The state of a document that is counted from now on, and the state counted before (absent: none). */
export type Change = {
  readonly id: string;
  readonly type: SignalType;
  readonly createdAtMs: number;
  /** Since when the document was dirty. It differs when the document was removed and inserted again. */
  readonly dirtyAt: Date;
  readonly before?: Counted | undefined;
  readonly after: Counted;
};

/** A cell as it is stored: `values` as in `Figures`, and each distribution under its name, as `pack` makes it. */
export type StoredCell = Span & {
  readonly figures: readonly {
    readonly type: SignalType;
    readonly values: readonly number[];
    readonly [distribution: string]: unknown;
  }[];
};

/** One entry of the log: changes that are applied together. */
export type Batch = {
  /** From 1, without gaps. */
  readonly number: number;
  readonly token: string;
  /** The token of the batch before. */
  readonly after: string;
  /** The process that appended it. */
  readonly by: string;
  /**
   * The log up to this batch counts every change made before this instant, by the clock of the process that appended the
   * batch; absent where more changes wait.
   */
  readonly asOf?: Date | undefined;
  readonly changes: readonly Change[];
  /** Spans whose cells are replaced by these. They were counted again and include the changes of this batch. */
  readonly replaced: readonly (Span & { readonly cells: readonly StoredCell[] })[];
};

/** A batch that is not in the log yet. */
export type Draft = Pick<Batch, 'by' | 'asOf' | 'changes' | 'replaced'>;

/** A position in the log: the number and the token of a batch. */
export type LogPosition = Pick<Batch, 'number' | 'token'>;

/** The position before the first batch. */
export const origin: LogPosition = { number: 0, token: 'origin' };

/** The stored state of the aggregates. */
type LogState = {
  /** Whether all documents of the collection have been counted. */
  readonly isBuilt: boolean;
  /** Every stored hour includes the batches up to this position. */
  readonly checkpoint: LogPosition;
};

/** The cells of an hour, as of a batch. */
export type StoredHour = {
  readonly number: number;
  readonly hourMs: number;
  /** Null where they do not fit into a document: a process that starts counts all documents again. */
  readonly cells: readonly StoredCell[] | null;
};

type LogDocument = Omit<Batch, 'number'> & { _id: number; at: Date };
type HourDocument = { _id: string; number: number; hour: Date; cells: StoredHour['cells'] };
type StateDocument = { _id: 'state'; built: boolean; checkpoint?: LogPosition };

export type ChangeLog = ReturnType<typeof openChangeLog>;

/**
 * The batches of changes, in the collection `aggregate_log`, and the cells of the last checkpoint, in `aggregate_cells`.
 * Any process may append. A batch's number is unique, so of several concurrent appends one succeeds and the others read
 * the log again.
 */
export function openChangeLog(connection: Connection) {
  const log = connection.collection<LogDocument>('aggregate_log');
  const hours = connection.collection<HourDocument>('aggregate_cells');
  const states = connection.collection<StateDocument>('aggregate_cells');

  return {
    /** Appends a batch after a position. @returns undefined when there is one already. */
    append: async ({ number, token }: LogPosition, draft: Draft): Promise<Batch | undefined> => {
      const batch: Batch = { ...draft, number: number + 1, token: randomUUID(), after: token };
      const { number: _id, ...fields } = batch;
      const isNext = await isInserted(() => log.insertOne({ ...fields, _id, at: new Date() }));
      return isNext ? batch : undefined;
    },

    /** The batches after a number, in order. */
    readAfter: async (number: number): Promise<readonly Batch[]> => {
      const found = await log.find({ _id: { $gt: number } }, { sort: { _id: 1 } }).toArray();
      return found.map(({ _id, at: _at, ...batch }) => ({ ...batch, number: _id }));
    },

    state: async (): Promise<LogState> => {
      const [found] = await states.find({ _id: 'state' }).toArray();
      return { isBuilt: found?.built ?? false, checkpoint: found?.checkpoint ?? origin };
    },
    setBuilt: async (built: boolean): Promise<void> => {
      await states.updateOne({ _id: 'state' }, { $set: { built } }, { upsert: true });
    },

    /** All stored hours. Read them after the state: each then includes the checkpoint's batches, and maybe later ones. */
    readHours: async (): Promise<readonly StoredHour[]> => {
      // Everything, once in the life of a process: this may take longer than a request's query.
      const options = { sort: { _id: 1 }, maxTimeMS: noTimeLimit } as const;
      const found = await hours.find({ hour: { $exists: true } }, options).toArray();
      return found.map(({ number, hour, cells }) => ({ number, hourMs: hour.getTime(), cells }));
    },

    /** Stores hours as of a position, and removes batches that no process needs any more. */
    saveCheckpoint: async (
      position: LogPosition,
      changed: readonly Omit<StoredHour, 'number'>[],
      keepSince: Date,
    ): Promise<void> => {
      const { number } = position;
      for (let from = 0; from < changed.length; from += hoursAtOnce) {
        const writes = changed.slice(from, from + hoursAtOnce).map(({ hourMs, cells }) => ({
          updateOne: {
            filter: { _id: `hour:${new Date(hourMs).toISOString()}`, number: { $lt: number } },
            update: { $set: { number, hour: new Date(hourMs), cells } },
            upsert: true,
          },
        }));
        // Refused where the stored hours include more batches already.
        await isInserted(() => hours.bulkWrite(writes, { ordered: false }));
      }
      // Must not replace a later checkpoint: the batches after the earlier one may be removed already.
      const earlier = { _id: 'state', 'checkpoint.number': { $not: { $gte: number } } } as const;
      await isInserted(() => states.updateOne(earlier, { $set: { checkpoint: position } }, { upsert: true }));
      await log.deleteMany({ _id: { $lt: number }, at: { $lt: keepSince } });
    },
  };
}

const hoursAtOnce = 100;
