import { seededRandom } from '@sigcast/runtime';
import { fates, type Life, newToken, type Token } from './token.ts';

export type Births = {
  readonly seed: number;
  /** The time between two births, in milliseconds. */
  readonly intervalMs: number;
  readonly life: Life;
};

/**
 * The tokens that were born up to an instant, the newest ones first. They follow from the time alone, so each process of the market
 * names the same ones.
 */
export function newestTokens(
  { seed, intervalMs, life }: Births,
  atMs: number,
  count: number,
): readonly Token[] {
  const newest = Math.floor(atMs / intervalMs);
  return Array.from({ length: count }, (_, back) => {
    const number = newest - back;
    const random = seededRandom((seed * 1_000_003 + number) >>> 0);
    // Tests see each fate soon.
    const fate = life === 'seconds' ? fates[number % fates.length] : undefined;
    return newToken(random, { bornAtMs: number * intervalMs, life, ...(fate && { fate }) });
  });
}
