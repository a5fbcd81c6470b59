import { z } from 'zod';
import { count, described, timestamp } from '../members.ts';
import { intervals, maxSeriesPoints, periods } from '../queries.ts';
import { exitCountsSchema } from './realizable.ts';
import { type SignalStatus, signalStatuses, signalTypes } from './signal.ts';

const winRate = described(
  z.number().min(0).max(100),
  'Percent of winners among all, two decimals; 0 where there are none.',
  32.5,
);

/** Counts and win rate of the signals of one type. */
export const typeStatisticsSchema = z
  .strictObject({
    total: count.meta({ example: 40 }),
    winners: count.meta({ example: 13 }),
    win_rate: winRate,
  })
  .meta({ id: 'TypeStatistics' });
export type TypeStatistics = z.infer<typeof typeStatisticsSchema>;

const figures = {
  total_signals: count.meta({ example: 40 }),
  winners: count.meta({ example: 13 }),
  win_rate: winRate,
  avg_roi: described(z.number(), 'Mean of the current roi, percent; 0 where there are no signals.', 18.4),
  best_roi: described(z.number(), 'Maximum of the current roi, percent; 0 where there are no signals.', 480),
};
const asOf = described(timestamp, 'The instant that the figures are exact for.', '2026-01-02T01:30:00.000Z');

const bound = 'rounded to within 0.5 % of itself, exact below 2 %';
const percentile = (percent: string, example: number) =>
  z
    .number()
    .describe(`The smallest value that at least ${percent} of the signals do not exceed, percent, ${bound}.`)
    .meta({ example });

/** Percentiles by nearest rank: each is the value of a signal, rounded. */
export const percentilesSchema = z
  .strictObject({
    p10: percentile('10 %', -62.5),
    p25: percentile('25 %', -20),
    median: percentile('half', 12.5),
    p75: percentile('75 %', 140),
    p90: percentile('90 %', 480),
  })
  .meta({ id: 'Percentiles' });
export type Percentiles = z.infer<typeof percentilesSchema>;

const statusExamples: Readonly<Record<SignalStatus, number>> = { active: 12, winner: 13, dead: 9, rugged: 6 };
const counts = Object.fromEntries(
  signalStatuses.map((status) => [status, count.meta({ example: statusExamples[status] })]),
);

/** The distribution of signals. Without signals all figures are 0. */
export const typeDistributionSchema = z
  .strictObject({
    by_status: z
      .strictObject(counts as Record<SignalStatus, z.ZodInt>)
      .describe('Signals by their status now.'),
    roi: percentilesSchema.describe('Of the current roi.'),
    ath_roi: percentilesSchema.describe('Of ath_roi.'),
    avg_time_to_ath_hours: described(z.number().min(0), 'Mean of time_to_ath_hours, two decimals.', 9.25),
    ath_signals: described(count, 'Signals that ath_roi and avg_time_to_ath_hours include: all.', 40),
  })
  .meta({ id: 'TypeDistribution' });
export type TypeDistribution = z.infer<typeof typeDistributionSchema>;

/** The distribution of all signals, and of those of each type. */
export const distributionSchema = typeDistributionSchema
  .extend({
    by_type: z
      .partialRecord(z.enum(signalTypes), typeDistributionSchema)
      .describe('All six types; with a type filter, that one.'),
  })
  .meta({ id: 'Distribution' });
export type Distribution = z.infer<typeof distributionSchema>;

const avgRealizable = z
  .number()
  .describe('Mean of `realizable.roi` of these signals, percent, two decimals; 0 where there are none.')
  .meta({ example: -11.42 });
const havingPosition = count
  .describe('Signals for which the rule had an entry, so that they have `realizable`.')
  .meta({ example: 40 });

/** What a small order by the exit rule earned with each of these signals. Without such signals all figures are 0. */
export const typeRealizableStatisticsSchema = z
  .strictObject({
    signals: havingPosition,
    avg_roi: avgRealizable,
    profitable: described(
      z.number().min(0).max(100),
      'Percent of these signals whose `realizable.roi` is above 0, two decimals.',
      32.5,
    ),
    roi: percentilesSchema.describe('Of `realizable.roi`.'),
    by_exit: exitCountsSchema.describe(
      'These signals by how their order was sold; `open`: not yet, with the roi of a sale now.',
    ),
  })
  .meta({ id: 'TypeRealizableStatistics' });
export type TypeRealizableStatistics = z.infer<typeof typeRealizableStatisticsSchema>;

/** What a small order by the exit rule earned with all signals, and with those of each type. */
export const realizableStatisticsSchema = z
  .strictObject({
    rule: z
      .string()
      .describe('The version of the exit rule, such as `v1`. Results of other versions are not included.')
      .meta({ example: 'v1' }),
    ...typeRealizableStatisticsSchema.shape,
    by_type: z
      .partialRecord(z.enum(signalTypes), typeRealizableStatisticsSchema)
      .describe('All six types; with a type filter, that one.'),
  })
  .meta({ id: 'RealizableStatistics' });
export type RealizableStatistics = z.infer<typeof realizableStatisticsSchema>;

/** What the same order earned on average with the signals created in one interval. */
export const realizablePointSchema = z
  .strictObject({ signals: havingPosition, avg_roi: avgRealizable })
  .meta({ id: 'RealizablePoint' });
export type RealizablePoint = z.infer<typeof realizablePointSchema>;

/** Statistics over the signals created in a period. */
export const statisticsSchema = z
  .strictObject({
    ...figures,
    by_type: z
      .partialRecord(z.enum(signalTypes), typeStatisticsSchema)
      .describe('All six types; with a type filter, that one.')
      .meta({
        example: {
          new: { total: 16, winners: 6, win_rate: 37.5 },
          '3d': { total: 8, winners: 2, win_rate: 25 },
          '7d': { total: 5, winners: 1, win_rate: 20 },
          '30d': { total: 4, winners: 1, win_rate: 25 },
          wallet: { total: 5, winners: 2, win_rate: 40 },
          premium: { total: 2, winners: 1, win_rate: 50 },
        },
      }),
    distribution: distributionSchema.optional().describe('Where `include=distribution` asks for it.'),
    realizable: realizableStatisticsSchema.optional().describe('Where `include=realizable` asks for it.'),
    as_of: asOf,
  })
  .meta({ id: 'Statistics' });
export type Statistics = z.infer<typeof statisticsSchema>;

/** The same figures over the signals created in one interval. */
export const statisticsPointSchema = z
  .strictObject({
    from: described(
      timestamp,
      'Start of the hour, day, week or month, in UTC, itself included. The interval lasts until the next one starts.',
    ),
    ...figures,
    realizable: realizablePointSchema.optional().describe('Where `include=realizable` asks for it.'),
  })
  .meta({ id: 'StatisticsPoint' });
export type StatisticsPoint = z.infer<typeof statisticsPointSchema>;

/** Statistics over a period, by time of creation. */
export const statisticsSeriesSchema = z
  .strictObject({
    period: z.enum(periods),
    interval: z.enum(intervals).describe('What one point covers.'),
    points: described(
      z.array(statisticsPointSchema).max(maxSeriesPoints),
      'Oldest first, without a gap: an interval without signals has zeros. The first point counts only signals that ' +
        'were created after `as_of` − `period`. The last point is not over yet.',
    ),
    as_of: asOf,
  })
  .meta({ id: 'StatisticsSeries' });
export type StatisticsSeries = z.infer<typeof statisticsSeriesSchema>;
