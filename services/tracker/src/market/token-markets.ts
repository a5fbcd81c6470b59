import { contractKey } from '@sigcast/contracts';
import { mayBeCut, mostLiquidFirst, type Pool } from '@sigcast/market';

/** What an answer says of one token; amounts in US dollars. */
export type TokenMarket =
  | { readonly kind: 'market'; readonly mcap: number; readonly liquidity: number; readonly volume24h: number }
  /** The answer has no pool of the token. */
  | { readonly kind: 'absent' }
  /** The answer says nothing that can be used: its pools lack figures, or it may be cut off before the token. */
  | { readonly kind: 'unusable' };

/**
 * What pools say of each of these contracts, given and returned by `contractKey`. Of a token's usable pools the one with the
 * most liquidity counts, of equal ones the one whose address comes first. Usable is a pool with a market cap above 0, a
 * liquidity and a volume.
 */
export function tokenMarkets(
  pools: readonly Pool[],
  contracts: readonly string[],
): ReadonlyMap<string, TokenMarket> {
  const missing: TokenMarket = { kind: mayBeCut(pools, contracts.length) ? 'unusable' : 'absent' };
  const byContract = Map.groupBy(pools, ({ token }) => contractKey(token));
  return new Map(
    contracts.map((contract) => {
      const own = byContract.get(contract);
      if (own === undefined) return [contract, missing] as const;
      const [best] = own.toSorted(mostLiquidFirst).flatMap((pool) => usable(pool) ?? []);
      return [contract, best ?? ({ kind: 'unusable' } as const)] as const;
    }),
  );
}

function usable({ mcap, liquidity, volume: { h24: volume24h } }: Pool): TokenMarket | undefined {
  if (!mcap || liquidity === undefined || volume24h === undefined) return undefined;
  return { kind: 'market', mcap, liquidity, volume24h };
}
