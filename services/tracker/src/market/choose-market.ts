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
      readonly source: 'first' | 'second';
      /** Whether outcomes may rest on it. */
      readonly decides: boolean;
    }
  /** They count if the next answer agrees. */
  | { readonly kind: 'doubted'; readonly figures: Figures }
  | { readonly kind: 'unusable' };

/** Whether the second source is asked: the first one is away, has no figures of use, or figures that have jumped. */
export function needsSecond(factor: number, seen: Seen, first: TokenMarket | undefined): boolean {
  return first?.kind !== 'market' || !isExpected(factor, seen, first);
}

/**
 * Chooses between the answers of two sources, so that nothing rests on figures that only one of them gave once.
 *
 * - The first source's figures count where they are within the factor of those that counted before, of those that were doubted, or
 *   of the second source's. Otherwise they are doubted.
 * - Without figures of the first source, the second's count in the same way. While the first source is away, they count only
 *   where they are expected, and decide nothing: the sources may count a token's supply differently.
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
    return isConfirmed || isExpected(factor, seen, first)
      ? { kind: 'counts', market: first, source: 'first', decides: true }
      : doubted(first);
  }
  if (first?.kind === 'absent' && second?.kind === 'absent')
    return { kind: 'counts', market: first, source: 'first', decides: true };
  if (second?.kind !== 'market') return { kind: 'unusable' };
  if (isExpected(factor, seen, second))
    return { kind: 'counts', market: second, source: 'second', decides: first !== undefined };
  return first === undefined ? { kind: 'unusable' } : doubted(second);
}

function isExpected(factor: number, { counted, doubted: before }: Seen, figures: Figures): boolean {
  return areClose(factor, figures, counted) || (before !== undefined && areClose(factor, figures, before));
}

function areClose(factor: number, one: Figures, other: Figures): boolean {
  const isClose = (a: number, b: number) => Math.max(a, b) <= factor * Math.min(a, b);
  return isClose(one.mcap, other.mcap) && isClose(one.liquidity, other.liquidity);
}

function doubted({ mcap, liquidity }: Figures): Choice {
  return { kind: 'doubted', figures: { mcap, liquidity } };
}
