import { contractKey } from '@sigcast/contracts';

/** What an answer says of one token; amounts in US dollars. */
export type TokenMarket =
  | { readonly kind: 'market'; readonly mcap: number; readonly liquidity: number; readonly volume24h: number }
  /** The answer has no pair of the token. */
  | { readonly kind: 'absent' }
  /** The answer says nothing that can be used: its pairs lack figures, or it may be cut off before the token. */
  | { readonly kind: 'unusable' };

type JsonObject = Readonly<Record<string, unknown>>;
type UsablePair = { readonly address: string; readonly market: TokenMarket & { readonly kind: 'market' } };

/** An answer with exactly so many pairs may be cut off: DexScreener's older service gives no more. */
const mostPairs = 30;

/**
 * Reads what an answer of `…/latest/dex/tokens/…` (`{ pairs }`, null for none) says of each of these contracts, given and
 * returned by `contractKey`. Of a token's usable pairs the one with the most liquidity counts, of equal ones the one whose
 * address comes first. Usable is a pair with a market cap (`marketCap`, or else `fdv`) above 0 and a liquidity in US
 * dollars; a missing volume counts as 0, one that is no amount makes the pair unusable.
 *
 * @returns undefined when the answer is not of this format.
 */
export function tokenMarkets(
  answer: unknown,
  contracts: readonly string[],
): ReadonlyMap<string, TokenMarket> | undefined {
  const { pairs: given } = objectOf(answer);
  if (given !== null && !Array.isArray(given)) return undefined;
  const pairs = ((given ?? []) as readonly unknown[]).map(objectOf);
  const mayBeCut = pairs.length === mostPairs && contracts.length > 1;
  const missing: TokenMarket = { kind: mayBeCut ? 'unusable' : 'absent' };
  const byContract = new Map<string, JsonObject[]>(contracts.map((contract) => [contract, []]));
  for (const pair of pairs) {
    const { address } = objectOf(pair.baseToken);
    if (typeof address === 'string') byContract.get(contractKey(address))?.push(pair);
  }
  return new Map(
    [...byContract].map(([contract, own]) => {
      if (own.length === 0) return [contract, missing] as const;
      const [best] = own.flatMap((pair) => usable(pair) ?? []).sort(mostLiquidFirst);
      return [contract, best?.market ?? ({ kind: 'unusable' } as const)] as const;
    }),
  );
}

function usable(pair: JsonObject): UsablePair | undefined {
  const mcap = amount(pair.marketCap ?? pair.fdv);
  const liquidity = amount(objectOf(pair.liquidity).usd);
  const volume24h = volumeOf(pair);
  if (!mcap || liquidity === undefined || volume24h === undefined) return undefined;
  const address = typeof pair.pairAddress === 'string' ? pair.pairAddress : '';
  return { address, market: { kind: 'market', mcap, liquidity, volume24h } };
}

/** 0 where the pair has none. */
function volumeOf({ volume = {} }: JsonObject): number | undefined {
  if (typeof volume !== 'object' || volume === null) return undefined;
  const { h24 = 0 } = volume as JsonObject;
  return amount(h24);
}

function mostLiquidFirst(one: UsablePair, other: UsablePair): number {
  const difference = other.market.liquidity - one.market.liquidity;
  return difference === 0
    ? Number(one.address > other.address) - Number(one.address < other.address)
    : difference;
}

/** An amount that the signals service takes; undefined for anything else. */
function amount(value: unknown): number | undefined {
  const isAmount = typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
  return isAmount ? value : undefined;
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}
