import { divideRounded } from '@sigcast/contracts';

/**
 * The mean of `count` values, from their sum in hundredths: two decimals, halves away from zero. 0 where there are no
 * values.
 */
export function meanOf(sumOfHundredths: bigint, count: number): number {
  return count === 0 ? 0 : divideRounded(sumOfHundredths, BigInt(count)) / 100;
}

/** How many percent of `whole` a `part` is: two decimals, halves away from zero. 0 where `whole` is 0. Both are integers. */
export function percentOf(part: number, whole: number): number {
  return meanOf(BigInt(part) * 10_000n, whole);
}
