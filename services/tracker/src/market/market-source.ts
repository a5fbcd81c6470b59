import { contractKey } from '@sigcast/contracts';
import { dexScreenerPools, type Source, type SourceFailure } from '@sigcast/market';
import { type TokenMarket, tokenMarkets } from './token-markets.ts';

/** The source's answer about some tokens. */
export type MarketAnswer =
  /** By `contractKey`; every token that was asked about is in it. */
  { readonly kind: 'answered'; readonly markets: ReadonlyMap<string, TokenMarket> } | SourceFailure;

/** Where markets are asked about. */
export type MarketSource = {
  /** Asks about up to 30 contracts, all of them addresses. Never rejects. `stopping` ends the request, which is then a failure. */
  ask(contracts: readonly string[], stopping: AbortSignal): Promise<MarketAnswer>;
};

/** Asks a source in DexScreener's format, by `GET /latest/dex/tokens/{addresses}`. */
export function marketSource(source: Source): MarketSource {
  return {
    ask: async (contracts, stopping) => {
      const answer = await source.get(`/latest/dex/tokens/${contracts.join(',')}`, stopping);
      if (answer.kind !== 'answered') return answer;
      const pools = dexScreenerPools(answer.json);
      if (pools === undefined)
        return { kind: 'unreadable', reason: "the answer is not in DexScreener's format" };
      return { kind: 'answered', markets: tokenMarkets(pools, contracts.map(contractKey)) };
    },
  };
}
