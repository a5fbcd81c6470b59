import type { TokenMarket } from './token-markets.ts';

/** Market cap and liquidity, US dollars. */
export type Figures = { readonly mcap: number; readonly liquidity: number };

/** What the answers before said of a token. */
export type Seen = {
  /** The newest figures that counted; before the first ones, those of the entry. */
  readonly counted: Figures;
  /** Figures that were newer, and doubted. */
  readonly doubted?: Figures | undefined;
};

/** What is made of the answers about a token. */
export type Choice =
  | {
      readonly kind: 'counts';
      readonly market: Exclude<TokenMarket, { kind: 'unusable' }>;
      /** No outcome rests on the second source's figures. */
      readonly source: 'first' | 'second';
    }
  /** The next answer counts if it has jumped in the same direction. */
  | { readonly kind: 'doubted'; readonly figures: Figures }
  | { readonly kind: 'unusable' };

/** Whether the second source is asked: the first one is away, has no figures of use, or figures that have jumped. */
export function needsSecond(factor: number, seen: Seen, first: TokenMarket | undefined): boolean {
  return first?.kind !== 'market' || !isExpected(factor, seen, first);
}

/**
 * By how much the figures of the second source alone may differ from the last ones that counted, as a factor. The sources often
 * count a token's supply differently, by two times and more, which must not look like a rise: a high never falls.
 */
const sameSupply = 1.1;

/**
 * Chooses between the answers of two sources, so that nothing rests on figures that only one of them gave once.
 *
 * - The first source's figures count where they are within the factor of those that counted before or of the second source's, or
 *   where its last answer was doubted for a jump in the same direction. Otherwise they are doubted. Two of its answers outvote the
 *   second source, whose figures may be older.
 * - Without figures of the first source, the second's count where they are nearly those that counted before, and decide nothing.
 * - A token is absent where both sources say so.
 *
 * @param first undefined where it is away. @param second undefined where it was not asked, or is away.
 */
export function chooseMarket(
  factor: number,
  seen: Seen,
  { first, second }: { readonly first: TokenMarket | undefined; readonly second: TokenMarket | undefined },
): Choice {
  if (first?.kind === 'market') {
    const isConfirmed = second?.kind === 'market' && areClose(factor, first, second);
    if (isConfirmed || isExpected(factor, seen, first))
      return { kind: 'counts', market: first, source: 'first' };
    return { kind: 'doubted', figures: { mcap: first.mcap, liquidity: first.liquidity } };
  }
  if (first?.kind === 'absent' && second?.kind === 'absent')
    return { kind: 'counts', market: first, source: 'first' };
  return second?.kind === 'market' && areClose(sameSupply, second, seen.counted)
    ? { kind: 'counts', market: second, source: 'second' }
    : { kind: 'unusable' };
}

function isExpected(factor: number, { counted, doubted }: Seen, figures: Figures): boolean {
  return (
    areClose(factor, figures, counted) ||
    (doubted !== undefined && jumpAlike(factor, counted, doubted, figures))
  );
}

/** Whether the market cap or the liquidity of both has jumped in the same direction. How far is left open: dust moves by any factor. */
function jumpAlike(factor: number, from: Figures, one: Figures, other: Figures): boolean {
  const isAlike = (figure: keyof Figures) => {
    const direction = jump(factor, from[figure], one[figure]);
    return direction !== 0 && direction === jump(factor, from[figure], other[figure]);
  };
  return isAlike('mcap') || isAlike('liquidity');
}

/** 1: up by more than the factor, -1: down, 0: neither. */
function jump(factor: number, from: number, to: number): number {
  return Number(to > factor * from) - Number(from > factor * to);
}

function areClose(factor: number, one: Figures, other: Figures): boolean {
  return jump(factor, one.mcap, other.mcap) === 0 && jump(factor, one.liquidity, other.liquidity) === 0;
}
