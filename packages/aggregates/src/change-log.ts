import { randomUUID } from 'node:crypto';
import type { SignalType } from '@sigcast/contracts';
import { duplicateWrites, isDuplicateKey } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import type { Counted } from './figures.ts';

/** A time between two instants in milliseconds, `fromMs` included, `toMs` not. */
export type Span = { readonly fromMs: number; readonly toMs: number };

/** What is counted of a document from now on, and what was until now (absent: nothing). */
export type Change = {
  readonly id: string;
  readonly type: SignalType;
  readonly createdAtMs: number;
  /** Since when the document had been dirty, which tells one that was removed and came back from what it was before. */
  readonly dirtyAt: Date;
  readonly before?: Counted | undefined;
  readonly after: Counted;
};

/**
 * A cell as it is stored; `values` as in `Figures`, `distribution` as `pack` makes it. Without it, it is not known: a process
 * of an earlier version stored the cell.
 */
export type StoredCell = Span & {
  readonly figures: readonly {
    readonly type: SignalType;
    readonly values: readonly number[];
    readonly distribution?: string;
  }[];
};

/** One step of the aggregates, taken as a whole or not at all. */
export type Batch = {
  /** From 1, without gaps. */
  readonly number: number;
  readonly token: string;
  /** The token of the batch before. */
  readonly after: string;
  /** The process that appended it. */
  readonly by: string;
  /**
   * With it every change is counted that was made before this instant, by the clock of who appended it; absent where more
   * changes wait.
   */
  readonly asOf?: Date | undefined;
  readonly changes: readonly Change[];
  /** Spans whose cells give way to these, which were counted anew with all of the changes in them. */
  readonly replaced: readonly (Span & { readonly cells: readonly StoredCell[] })[];
};

/** A batch that has no place in the log yet. */
export type Draft = Pick<Batch, 'by' | 'asOf' | 'changes' | 'replaced'>;

/** Which batch is the last that something includes. */
export type Place = Pick<Batch, 'number' | 'token'>;

/** The place before the first batch. */
export const origin: Place = { number: 0, token: 'origin' };

/** What is stored of all cells together. */
export type LogState = {
  /** Whether all that the collection held has been counted. */
  readonly isBuilt: boolean;
  /** Every stored cell includes at least the batches up to here. */
  readonly checkpoint: Place;
};

/** The cells of an hour, as of a batch. */
export type StoredHour = {
  readonly number: number;
  readonly hourMs: number;
  readonly cells: readonly StoredCell[];
};

type LogDocument = Omit<Batch, 'number'> & { _id: number; at: Date };
type HourDocument = { _id: string; number: number; hour: Date; cells: readonly StoredCell[] };
type StateDocument = { _id: 'state'; built: boolean; checkpoint?: Place };

export type ChangeLog = ReturnType<typeof openChangeLog>;

/**
 * The steps that make the aggregates, in a collection `aggregate_log`, and what they came to at the last checkpoint, in
 * `aggregate_cells`. Anyone may append: a number is taken once, so of several at it at the same time one succeeds, and the
 * others look again at what is there.
 */
export function openChangeLog(connection: Connection) {
  const log = connection.collection<LogDocument>('aggregate_log');
  const hours = connection.collection<HourDocument>('aggregate_cells');
  const states = connection.collection<StateDocument>('aggregate_cells');

  return {
    /** @returns undefined when the place behind `place` is taken. */
    append: async ({ number, token }: Place, draft: Draft): Promise<Batch | undefined> => {
      const batch: Batch = { ...draft, number: number + 1, token: randomUUID(), after: token };
      const { number: _id, ...fields } = batch;
      try {
        await log.insertOne({ ...fields, _id, at: new Date() });
        return batch;
      } catch (error) {
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
    },

    /** The batches behind a number, in order. */
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

    /** All stored hours. Read after the state, each includes what its checkpoint includes, and maybe more. */
    readHours: async (): Promise<readonly StoredHour[]> => {
      const found = await hours.find({ hour: { $exists: true } }, { sort: { _id: 1 } }).toArray();
      return found.map(({ number, hour, cells }) => ({ number, hourMs: hour.getTime(), cells }));
    },

    /** Stores hours as of a place, and takes away batches that no process needs any more. */
    saveCheckpoint: async (
      place: Place,
      changed: readonly Omit<StoredHour, 'number'>[],
      keepSince: Date,
    ): Promise<void> => {
      const { number } = place;
      for (let from = 0; from < changed.length; from += hoursAtOnce) {
        const writes = changed.slice(from, from + hoursAtOnce).map(({ hourMs, cells }) => ({
          updateOne: {
            filter: { _id: `hour:${new Date(hourMs).toISOString()}`, number: { $lt: number } },
            update: { $set: { number, hour: new Date(hourMs), cells } },
            upsert: true,
          },
        }));
        try {
          await hours.bulkWrite(writes, { ordered: false });
        } catch (error) {
          if (!duplicateWrites(error)) throw error; // those include more already
        }
      }
      try {
        // Who was held up for long must not put an older one in its place: the batches behind that may be gone.
        await states.updateOne(
          { _id: 'state', 'checkpoint.number': { $not: { $gte: number } } },
          { $set: { checkpoint: place } },
          { upsert: true },
        );
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      await log.deleteMany({ _id: { $lt: number }, at: { $lt: keepSince } });
    },
  };
}

const hoursAtOnce = 100;
