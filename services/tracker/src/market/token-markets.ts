import { contractKey } from '@sigcast/contracts';
import type { Pool } from '@sigcast/market';

/** What an answer says of one token; amounts in US dollars. */
export type TokenMarket =
  | { readonly kind: 'market'; readonly mcap: number; readonly liquidity: number; readonly volume24h: number }
  /** The answer has no pool of the token. */
  | { readonly kind: 'absent' }
  /** The answer says nothing that can be used: its pools lack figures, or it may be cut off before the token. */
  | { readonly kind: 'unusable' };

/** An answer with exactly so many pools may be cut off: DexScreener's older service gives no more. */
const mostPools = 30;

/**
 * What pools say of each of these contracts, given and returned by `contractKey`. Of a token's usable pools the one with the
 * most liquidity counts, of equal ones the one whose address comes first. Usable is a pool with a market cap above 0, a
 * liquidity and a volume.
 */
export function tokenMarkets(
  pools: readonly Pool[],
  contracts: readonly string[],
): ReadonlyMap<string, TokenMarket> {
  const mayBeCut = pools.length === mostPools && contracts.length > 1;
  const missing: TokenMarket = { kind: mayBeCut ? 'unusable' : 'absent' };
  const byContract = Map.groupBy(pools, ({ token }) => contractKey(token));
  return new Map(
    contracts.map((contract) => {
      const own = byContract.get(contract);
      if (own === undefined) return [contract, missing] as const;
      const [best] = own.flatMap((pool) => usable(pool) ?? []).sort(mostLiquidFirst);
      return [contract, best?.market ?? ({ kind: 'unusable' } as const)] as const;
    }),
  );
}

type UsablePool = { readonly address: string; readonly market: TokenMarket & { readonly kind: 'market' } };

function usable({ address, mcap, liquidity, volume: { h24: volume24h } }: Pool): UsablePool | undefined {
  if (!mcap || liquidity === undefined || volume24h === undefined) return undefined;
  return { address, market: { kind: 'market', mcap, liquidity, volume24h } };
}

function mostLiquidFirst(one: UsablePool, other: UsablePool): number {
  const difference = other.market.liquidity - one.market.liquidity;
  return difference === 0
    ? Number(one.address > other.address) - Number(one.address < other.address)
    : difference;
}
