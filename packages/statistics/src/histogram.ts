import type { Percentiles } from '@sigcast/contracts';

/**
 * Numbers of signals by bucket. A bucket holds the percentages that round to the same value: to a hundredth below 2 %,
 * above that to a step of 1, 2, 5, 10, 20, … hundredths of at most 1 % of the value. So the bucket's value is within
 * 0.5 % of each percentage in it, and values such as 0, 50 or −100 % are exact.
 */
export type Histogram = ReadonlyMap<number, number>;

/** How far apart the bucket numbers of neighbouring steps begin: a step has fewer buckets, so numbers never overlap. */
const bucketsOfStep = 256;

/** 1, 2, 5, 10, 20, … hundredths, up to the largest safe integer. */
const steps = Array.from(
  { length: 48 },
  (_, index) => ([1, 2, 5][index % 3] ?? 1) * 10 ** Math.floor(index / 3),
);
const stepOf = (index: number) => steps[index] ?? Number.POSITIVE_INFINITY;

/**
 * The bucket of a percentage in hundredths, a safe integer. Buckets are integers below 2^14 in size, in the order of their
 * values.
 */
export function bucketOf(hundredths: number): number {
  const size = Math.abs(hundredths);
  let step = 0;
  while (stepOf(step + 1) * 100 <= size) step++;
  return Math.sign(hundredths) * (step * bucketsOfStep + Math.round(size / stepOf(step)));
}

/** Counts a signal in a histogram. @param hundredths the signal's percentage in hundredths, a safe integer. */
export function addTo(histogram: Map<number, number>, hundredths: number): void {
  const bucket = bucketOf(hundredths);
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + 1);
}

/** A bucket's percentage, in hundredths. Adding 0 makes 0 of −0. */
function hundredthsOf(bucket: number): number {
  const size = Math.abs(bucket);
  const step = stepOf(Math.floor(size / bucketsOfStep));
  return Math.sign(bucket) * (size % bucketsOfStep) * step + 0;
}

/** The number of signals in some histograms. */
export function countOf(histograms: readonly Histogram[]): number {
  let total = 0;
  for (const histogram of histograms) for (const count of histogram.values()) total += count;
  return total;
}

/**
 * Percentiles of all signals of some histograms, in percent, by nearest rank: the smallest value that at least that share
 * of the signals do not exceed. 0 where there are no signals.
 */
export function percentilesOf(histograms: readonly Histogram[]): Percentiles {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const histogram of histograms) {
    for (const bucket of histogram.keys()) {
      if (bucket < lowest) lowest = bucket;
      if (bucket > highest) highest = bucket;
    }
  }
  // An array over all buckets in order, some thousand: quicker than sorting the buckets that have signals.
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
