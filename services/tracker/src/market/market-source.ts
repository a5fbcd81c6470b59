import { contractKey } from '@sigcast/contracts';
import {
  dexScreenerPools,
  geckoTerminalTokens,
  type LimitedSource,
  networkOf,
  type Source,
  type SourceFailure,
} from '@sigcast/market';
import { CircuitBreaker } from '@sigcast/runtime';
import { type TokenMarket, tokenMarkets } from './token-markets.ts';

/** The source's answer about some tokens. */
export type MarketAnswer =
  /** By `contractKey`; every token that was asked about is in it. */
  { readonly kind: 'answered'; readonly markets: ReadonlyMap<string, TokenMarket> } | MarketFailure;

/** Why a source says nothing of tokens. `paused`: it was not asked, because it has failed shortly before. */
export type MarketFailure =
  | SourceFailure
  | { readonly kind: 'paused'; readonly reason: string; readonly retryAfterMs?: undefined };

/** Tokens of one chain, by their contracts: up to 30, all of them addresses. `chain` is DexScreener's name; empty where it is not known. */
export type Tokens = { readonly chain: string; readonly contracts: readonly string[] };

/** Where markets are asked about. */
export type MarketSource = {
  /**
   * Asks once. Never rejects. `stopping` ends the request, which is then a failure.
   * @param permitWithinMs the most time for a permit, where the source needs one.
   */
  ask(tokens: Tokens, stopping: AbortSignal, permitWithinMs?: number): Promise<MarketAnswer>;
};

/** Failures for which no token in the request can be to blame. */
const blameless: ReadonlySet<MarketFailure['kind']> = new Set([
  'rate_limited',
  'timeout',
  'no_answer',
  'paused',
]);

/** Whether one token of the request may be to blame. */
export function mayBeOfOneToken({ kind }: MarketFailure): boolean {
  return !blameless.has(kind);
}

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

/** The source, not asked for a while after it has failed. What may be one token's fault makes the pause no longer. */
export function pausedAfterFailures(
  source: MarketSource,
  pauseMs: (failures: number) => number,
): MarketSource {
  const breaker = new CircuitBreaker({ pauseMs });
  return {
    ask: async (tokens, stopping) => {
      const attempt = breaker.begin();
      if (attempt === undefined)
        return { kind: 'paused', reason: `it has failed ${breaker.failures} times in a row` };
      const answer = await source.ask(tokens, stopping);
      if (answer.kind === 'answered') attempt.succeeded();
      else if (stopping.aborted) attempt.abandoned();
      else attempt.failed(!mayBeOfOneToken(answer) || tokens.contracts.length === 1);
      return answer;
    },
  };
}

/**
 * Asks a source in GeckoTerminal's format, by `GET /networks/{network}/tokens/multi/{addresses}`. A network that it does not know
 * has none of the tokens.
 * @param patienceMs the most time for permit and answer.
 */
export function secondSource(source: LimitedSource, patienceMs: number): MarketSource {
  return {
    ask: async ({ chain, contracts }, stopping, permitWithinMs = patienceMs) => {
      const network = networkOf(chain);
      const late = AbortSignal.any([stopping, AbortSignal.timeout(patienceMs)]);
      const path = `/networks/${network}/tokens/multi/${contracts.join(',')}?include=top_pools`;
      const permitBy = AbortSignal.timeout(permitWithinMs);
      const answer = await source.get(path, late, permitBy).catch(() => undefined);
      if (answer === undefined)
        return { kind: 'paused', reason: `there was no permit within ${permitWithinMs} ms` };
      const isUnknown = answer.kind === 'refused' && answer.status === 404;
      if (answer.kind !== 'answered' && !isUnknown) return answer;
      const read = isUnknown
        ? { known: [], pools: [] }
        : geckoTerminalTokens(answer.kind === 'answered' ? answer.json : undefined, network);
      if (read === undefined)
        return { kind: 'unreadable', reason: "the answer is not in GeckoTerminal's format" };
      const known = new Set(read.known.map(contractKey));
      const markets = tokenMarkets(read.pools, contracts.map(contractKey));
      const said = [...markets].map(([contract, market]): [string, TokenMarket] => [
        contract,
        market.kind === 'absent' && known.has(contract) ? { kind: 'unusable' } : market,
      ]);
      return { kind: 'answered', markets: new Map(said) };
    },
  };
}
