import type { ScannerState, SignalType } from '@sigcast/contracts';
import { type IndexSpec, storeCall } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import type { Counts } from '../domain/unsaved-counts.ts';

/** What all scanners counted in an hour, which `_id` begins. */
type HourDocument = {
  _id: Date;
  judged?: number;
  signals?: { [Type in SignalType]?: number };
  refusals?: { [Type in SignalType | 'all']?: Record<string, number> };
};

export const hoursCollection = 'scan_hours';
/** Hours are removed after a week. */
export const hoursIndexes: readonly IndexSpec[] = [
  { name: 'expiry', key: { hour: 1 }, expireAfterSeconds: 7 * 86_400 },
];

const hourMs = 3_600_000;

/** The counts by hour, in MongoDB. Methods throw SERVICE_UNAVAILABLE while it is away. */
export function mongoHours(connection: Connection) {
  const hours = connection.collection<HourDocument>(hoursCollection);
  return {
    /** Adds counts to the hour of `at`. */
    add: (counts: Counts, at: Date): Promise<void> =>
      storeCall(async () => {
        const _id = new Date(Math.floor(at.getTime() / hourMs) * hourMs);
        await hours.updateOne({ _id }, { $inc: counts, $set: { hour: _id } }, { upsert: true });
      }),

    /** The 24 hours up to `at`. */
    day: (at: Date): Promise<Pick<ScannerState, 'hours' | 'refusals'>> =>
      storeCall(async () => {
        const since = new Date(at.getTime() - 24 * hourMs);
        const found = await hours
          .find({ _id: { $gt: since } }, { hint: '_id_' })
          .sort({ _id: 1 })
          .toArray();
        return {
          hours: found.map(({ _id, judged = 0, signals = {} }) => ({
            hour: _id.toISOString(),
            judged,
            signals,
          })),
          refusals: refusalsOf(found),
        };
      }),
  };
}

function refusalsOf(hours: readonly HourDocument[]): ScannerState['refusals'] {
  const counts = hours.flatMap(({ refusals = {} }) =>
    Object.entries(refusals).flatMap(([type, reasons]) =>
      Object.entries(reasons).map(([reason, count]) => ({ type: type as SignalType | 'all', reason, count })),
    ),
  );
  return [...Map.groupBy(counts, ({ type, reason }) => `${type} ${reason}`).values()]
    .flatMap(([first, ...others]) =>
      first ? [{ ...first, count: others.reduce((sum, { count }) => sum + count, first.count) }] : [],
    )
    .sort((a, b) => b.count - a.count);
}
