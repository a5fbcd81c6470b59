import { contractKey } from '@sigcast/contracts';
import { dexScreenerPools, type Source, type SourceFailure } from '@sigcast/market';
import { type TokenMarket, tokenMarkets } from './token-markets.ts';

/** The source's answer about some tokens. */
export type MarketAnswer =
  /** By `contractKey`; every token that was asked about is in it. */
  { readonly kind: 'answered'; readonly markets: ReadonlyMap<string, TokenMarket> } | SourceFailure;

/** Tokens of one chain, by their contracts: up to 30, all of them addresses. `chain` is DexScreener's name; empty where it is not known. */
export type Tokens = { readonly chain: string; readonly contracts: readonly string[] };

/** Where markets are asked about. */
export type MarketSource = {
  /** Asks once. Never rejects. `stopping` ends the request, which is then a failure. */
  ask(tokens: Tokens, stopping: AbortSignal): Promise<MarketAnswer>;
};

/**
 * Asks a source in DexScreener's format, by `GET /tokens/v1/{chain}/{addresses}`, so that tokens with one address on several chains
 * are told apart; where the chain is not known, by `GET /latest/dex/tokens/{addresses}`.
 */
export function marketSource(source: Source): MarketSource {
  return {
    ask: async ({ chain, contracts }, stopping) => {
      const below = chain === '' ? 'latest/dex/tokens' : `tokens/v1/${chain}`;
      const answer = await source.get(`/${below}/${contracts.join(',')}`, stopping);
      if (answer.kind !== 'answered') return answer;
      const pools = dexScreenerPools(answer.json);
      if (pools === undefined)
        return { kind: 'unreadable', reason: "the answer is not in DexScreener's format" };
      const ofChain = pools.filter((pool) => chain === '' || pool.chain === chain);
      return { kind: 'answered', markets: tokenMarkets(ofChain, contracts.map(contractKey)) };
    },
  };
}
