import { z } from 'zod';
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

/** Statistics over the signals created in a period. */
export const statisticsSchema = z.strictObject({
  total_signals: z.int().min(0),
  winners: z.int().min(0),
  win_rate: winRate,
  avg_roi: z.number().describe('Mean of the current roi, percent; 0 where there are no signals.'),
  best_roi: z.number().describe('Maximum of the current roi, percent; 0 where there are no signals.'),
  by_type: z
    .partialRecord(z.enum(signalTypes), typeStatisticsSchema)
    .describe('All six types; with a type filter, that one.'),
  as_of: z.iso.datetime({ offset: true }).describe('The instant the figures are exact for.'),
});
export type Statistics = z.infer<typeof statisticsSchema>;
