import type { Amounts, State, Sums } from '@sigcast/aggregates';
import { bucketOf } from '@sigcast/statistics';
import { type Exit, exits } from '../domain/fact.ts';
import type { PositionTotals } from '../domain/realizable.ts';
import { partsOf, sumOfParts } from './roi-parts.ts';

/** The stored number of each exit, and the key of the sum that counts the positions with that exit. A number never changes. */
export const exitCodes: Readonly<Record<Exit, number>> = { open: 0, target: 1, stop: 2, end: 3 };

/** Keys of sums: positions by exit, both parts of the sum of ROI, and the histogram of ROI. */
const keys = { exits: 0, coarse: 4, fine: 5, histogram: 16 } as const;
/** Added to a bucket, because buckets may be negative and keys may not. */
const zeroBucket = 2 ** 14;

/** Sums of keys below this one are those of a series: counts and the sum of ROI, without the histogram. */
export const belowHistogram = keys.histogram;

/** What a fact's position adds to the sums of its type; nothing where there is none. */
export function positionAmounts({ numbers }: State): Amounts {
  // In the order of `factAggregates.fields`.
  const [, , , roi = Number.NaN, exit = Number.NaN] = numbers;
  if (Number.isNaN(roi)) return [];
  const [coarse, fine] = partsOf(roi);
  return [
    [keys.exits + exit, 1],
    [keys.coarse, coarse],
    [keys.fine, fine],
    [keys.histogram + zeroBucket + bucketOf(roi), 1],
  ];
}

/** The totals of a type's positions, from its sums. The histogram is empty where sums are only those below it. */
export function toPositionTotals(sums: Sums): PositionTotals {
  const histogram = new Map<number, number>();
  for (const [key, sum] of sums) {
    if (key >= keys.histogram) histogram.set(key - keys.histogram - zeroBucket, sum);
  }
  const byExit = exits.map((exit) => [exit, sums.get(keys.exits + exitCodes[exit]) ?? 0]);
  return {
    byExit: Object.fromEntries(byExit) as Record<Exit, number>,
    roiSum: sumOfParts(sums.get(keys.coarse) ?? 0, sums.get(keys.fine) ?? 0),
    roi: histogram,
  };
}

/** The exit of a stored number. */
export function exitOf(code: number | null): Exit {
  return exits.find((exit) => exitCodes[exit] === code) ?? 'open';
}
