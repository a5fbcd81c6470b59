import { z } from 'zod';
import { described, timestamp } from '../members.ts';
import { maxHistoryBuckets, resolutions } from '../queries.ts';
import { outcomeSchema } from './outcome.ts';
import { signalIdSchema, signalStatusSchema } from './signal.ts';

const usd = z.number().min(0);

/** The first, highest, lowest and last value of a bucket, US dollars. */
export const historyFiguresSchema = z
  .strictObject({
    open: usd.describe('The first value, US dollars.').meta({ example: 212_000 }),
    high: usd.describe('The highest value, US dollars.').meta({ example: 224_000 }),
    low: usd.describe('The lowest value, US dollars.').meta({ example: 208_500 }),
    close: usd.describe('The last value, US dollars.').meta({ example: 224_000 }),
  })
  .meta({ id: 'HistoryFigures' });
export type HistoryFigures = z.infer<typeof historyFiguresSchema>;

/** A signal’s observations within one bucket of time. */
export const historyBucketSchema = z
  .strictObject({
    start: described(
      timestamp,
      'Start of the bucket in UTC, itself included. The bucket lasts for `resolution`; `from` and `until` may cut it.',
      '2026-01-02T01:25:00.000Z',
    ),
    count: z.int().min(1).describe('How many observations the bucket is made of.').meta({ example: 3 }),
    mcap: historyFiguresSchema.describe('The market cap.'),
    liquidity: historyFiguresSchema.meta({
      example: { open: 41_000, high: 43_200, low: 40_600, close: 43_200 },
    }),
  })
  .meta({ id: 'HistoryBucket' });
export type HistoryBucket = z.infer<typeof historyBucketSchema>;

/** A market cap at an instant. */
const mcapAtSchema = z.strictObject({
  at: timestamp,
  mcap: usd.describe('US dollars.').meta({ example: 100_000 }),
});

/** An outcome of a signal, with the instant of its figures. */
export const statusChangeSchema = z
  .strictObject({
    at: described(
      timestamp,
      'When the figures were observed that the change belongs to.',
      '2026-01-02T01:29:58.000Z',
    ),
    ...outcomeSchema.shape,
  })
  .meta({ id: 'StatusChange' });
export type StatusChange = z.infer<typeof statusChangeSchema>;

/** The history of a signal over a range of time. */
export const signalHistorySchema = z
  .strictObject({
    id: signalIdSchema,
    from: timestamp.describe('Start of the range, itself included.'),
    until: described(timestamp, 'End of the range, itself included.', '2026-01-02T01:30:00.000Z'),
    resolution: z.enum(resolutions).describe('What one bucket covers.').meta({ example: '5m' }),
    entry: mcapAtSchema.describe('The market cap when the signal was created.'),
    ath: mcapAtSchema
      .describe('The highest market cap since then, of all time, and when it was observed first.')
      .meta({ example: { at: '2026-01-02T01:29:58.000Z', mcap: 224_000 } }),
    status: signalStatusSchema.meta({ example: 'winner' }),
    buckets: z
      .array(historyBucketSchema)
      .max(maxHistoryBuckets)
      .describe('Oldest first. A bucket without observations is left out.'),
    changes: z
      .array(statusChangeSchema)
      .describe('Every change of the status that is known, oldest first, in the range or not.'),
  })
  .meta({ id: 'SignalHistory' });
export type SignalHistory = z.infer<typeof signalHistorySchema>;
