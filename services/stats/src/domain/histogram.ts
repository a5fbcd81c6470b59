import type { Percentiles } from '@sigcast/contracts';

/**
 * Numbers of signals by bucket. A bucket is of percentages that are rounded to the same one: to a hundredth below 2 %, then
 * to a step of 1, 2, 5, 10, 20, … hundredths that is at most 1 % of them. So a bucket's percentage is within 0.5 % of any
 * that is in it, and percentages that people look for, such as 0, 50 or −100, are their own.
 */
export type Histogram = ReadonlyMap<number, number>;

/** Buckets of one step: fewer than the step's multiples that are below the next step's first. */
const bucketsOfStep = 256;

/** 1, 2, 5, 10, 20, … hundredths, to more than a safe integer. */
const steps = Array.from(
  { length: 48 },
  (_, index) => ([1, 2, 5][index % 3] ?? 1) * 10 ** Math.floor(index / 3),
);
const stepOf = (index: number) => steps[index] ?? Number.POSITIVE_INFINITY;

/** The bucket of a percentage in hundredths, a safe integer: an integer below 2^14 in size, greater for greater ones. */
export function bucketOf(hundredths: number): number {
  const size = Math.abs(hundredths);
  let step = 0;
  while (stepOf(step + 1) * 100 <= size) step++;
  return Math.sign(hundredths) * (step * bucketsOfStep + Math.round(size / stepOf(step)));
}

/** The percentage that a bucket stands for, in hundredths. */
export function hundredthsOf(bucket: number): number {
  const size = Math.abs(bucket);
  const step = stepOf(Math.floor(size / bucketsOfStep));
  return Math.sign(bucket) * (size % bucketsOfStep) * step + 0;
}

/** How many signals some histograms are of. */
export function countOf(histograms: readonly Histogram[]): number {
  let total = 0;
  for (const histogram of histograms) for (const count of histogram.values()) total += count;
  return total;
}

/**
 * Percentiles of some histograms together, percent, by nearest rank: the smallest value that at least that part of the
 * signals do not exceed. 0 where there are none.
 */
export function percentilesOf(histograms: readonly Histogram[]): Percentiles {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const histogram of histograms) {
    for (const bucket of histogram.keys()) {
      if (bucket < lowest) lowest = bucket;
      if (bucket > highest) highest = bucket;
    }
  }
  // Counts of all buckets in their order: some thousand, where sorting those there are would take longer.
  const counts = new Float64Array(Math.max(0, highest - lowest + 1));
  for (const histogram of histograms) {
    for (const [bucket, count] of histogram) counts[bucket - lowest] = (counts[bucket - lowest] ?? 0) + count;
  }
  const total = countOf(histograms);
  const at = (percent: number) => {
    const rank = Math.ceil((percent * total) / 100);
    let passed = 0;
    const index = counts.findIndex((count) => {
      passed += count;
      return passed >= rank;
    });
    return total === 0 ? 0 : hundredthsOf(lowest + index) / 100;
  };
  return { p10: at(10), p25: at(25), median: at(50), p75: at(75), p90: at(90) };
}
