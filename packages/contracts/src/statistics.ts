import { z } from 'zod';
import { intervals, maxSeriesPoints, periods } from './queries.ts';
import { signalTypes } from './signal.ts';

const winRate = z
  .number()
  .min(0)
  .max(100)
  .describe('Percent of winners among all, two decimals; 0 where there are none.');

export const typeStatisticsSchema = z.strictObject({
  total: z.int().min(0),
  winners: z.int().min(0),
  win_rate: winRate,
});
export type TypeStatistics = z.infer<typeof typeStatisticsSchema>;

const figures = {
  total_signals: z.int().min(0),
  winners: z.int().min(0),
  win_rate: winRate,
  avg_roi: z.number().describe('Mean of the current roi, percent; 0 where there are no signals.'),
  best_roi: z.number().describe('Maximum of the current roi, percent; 0 where there are no signals.'),
};
const asOf = z.iso.datetime({ offset: true }).describe('The instant the figures are exact for.');

/** Statistics over the signals created in a period. */
export const statisticsSchema = z.strictObject({
  ...figures,
  by_type: z
    .partialRecord(z.enum(signalTypes), typeStatisticsSchema)
    .describe('All six types; with a type filter, that one.'),
  as_of: asOf,
});
export type Statistics = z.infer<typeof statisticsSchema>;

/** The same figures over the signals created in one interval. */
export const statisticsPointSchema = z.strictObject({
  from: z.iso
    .datetime({ offset: true })
    .describe('Start of the hour or the day, in UTC, itself included. It lasts until the next one starts.'),
  ...figures,
});
export type StatisticsPoint = z.infer<typeof statisticsPointSchema>;

/** Statistics over a period, by time of creation. */
export const statisticsSeriesSchema = z.strictObject({
  period: z.enum(periods),
  interval: z.enum(intervals).describe('What one point covers.'),
  points: z
    .array(statisticsPointSchema)
    .max(maxSeriesPoints)
    .describe(
      'Oldest first, without a gap: an interval without signals has zeros. The first one counts only what was created ' +
        'after `as_of` − `period`, the last one is not over yet.',
    ),
  as_of: asOf,
});
export type StatisticsSeries = z.infer<typeof statisticsSeriesSchema>;
