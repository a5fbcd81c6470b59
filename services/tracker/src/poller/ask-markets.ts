import { contractKey } from '@sigcast/contracts';
import type { Permits } from '@sigcast/market';
import type { LeasedSignal } from '../domain/following.ts';
import { type Choice, chooseMarket, needsSecond, type Seen } from '../market/choose-market.ts';
import { type MarketFailure, type MarketSource, mayBeOfOneToken } from '../market/market-source.ts';
import type { TokenMarket } from '../market/token-markets.ts';
import type { PollerMetrics } from './metrics.ts';

export type AskDeps = {
  readonly source: MarketSource;
  /** Another source, which is asked where the first one is away or its figures have jumped by more than the factor. */
  readonly second?: { readonly source: MarketSource; readonly factor: number } | undefined;
  /** Those of the first source. */
  readonly permits: Permits;
  readonly metrics: PollerMetrics;
};

/**
 * The most time that tokens of which the first source has figures wait for a permit to ask the second one about others, in
 * milliseconds. A minute has few such permits.
 */
const longestPermitMs = 2_000;

/** What the market says of signals. */
export type Asked =
  | {
      readonly kind: 'answered';
      readonly chosen: (signal: LeasedSignal) => Choice;
      /** The most tokens of the signals' claims from now on, as the first source failed for so many; undefined: as many as it takes. */
      readonly mostTokens?: number;
    }
  | { readonly kind: 'failed'; readonly failure: MarketFailure; readonly contracts: readonly string[] }
  | { readonly kind: 'stopped' };

/**
 * Asks each source at most once about signals whose tokens are on one chain. The caller has taken a permit of the first source.
 * @param chain DexScreener's name; empty where it is not known. Then only the first source can be asked.
 */
export async function askMarkets(
  deps: AskDeps,
  { chain, signals }: { readonly chain: string; readonly signals: readonly LeasedSignal[] },
  stopping: AbortSignal,
): Promise<Asked> {
  const contracts = contractsOf(signals);
  const answer = await deps.source.ask({ chain, contracts }, stopping);
  if (stopping.aborted && answer.kind === 'no_answer') return { kind: 'stopped' };
  if (answer.kind !== 'paused') deps.metrics.asked(answer.kind);
  const failure = answer.kind === 'answered' ? undefined : answer;
  // Without Redis nobody asks anyway.
  if (failure?.retryAfterMs !== undefined)
    await deps.permits.pause(failure.retryAfterMs).catch(() => undefined);
  const first = answer.kind === 'answered' ? answer.markets : undefined;
  const firstOf = ({ contract }: LeasedSignal) => first?.get(contractKey(contract));

  const second = chain === '' ? undefined : deps.second;
  if (second === undefined && failure) return { kind: 'failed', failure, contracts };
  if (second === undefined) return { kind: 'answered', chosen: (signal) => onlyOf(firstOf(signal)) };
  const { source, factor } = second;
  const open = contractsOf(signals.filter((one) => needsSecond(factor, seenOf(one), firstOf(one))));
  const permitWithinMs = failure ? undefined : longestPermitMs;
  const other =
    open.length === 0 ? undefined : await source.ask({ chain, contracts: open }, stopping, permitWithinMs);
  const markets = other?.kind === 'answered' ? other.markets : undefined;
  if (failure && markets === undefined) return { kind: 'failed', failure, contracts };
  return {
    kind: 'answered',
    chosen: (signal) =>
      chooseMarket(factor, seenOf(signal), {
        first: firstOf(signal),
        second: markets?.get(contractKey(signal.contract)),
      }),
    ...(failure && mayBeOfOneToken(failure) && { mostTokens: halfOf(contracts) }),
  };
}

/** How many tokens are asked about at once after a failure for which one of these may be to blame. */
export function halfOf(contracts: readonly string[]): number {
  return Math.ceil(contracts.length / 2);
}

/** Each token's contract once. */
function contractsOf(signals: readonly LeasedSignal[]): readonly string[] {
  return [...new Map(signals.map(({ contract }) => [contractKey(contract), contract])).values()];
}

/** What is made of the answer of the only source. */
function onlyOf(market: TokenMarket = { kind: 'unusable' }): Choice {
  return market.kind === 'unusable' ? market : { kind: 'counts', market, source: 'first' };
}

function seenOf({ seen, followed: { mcapEntry, liquidityEntry } }: LeasedSignal): Seen {
  return { counted: { mcap: mcapEntry, liquidity: liquidityEntry }, ...seen };
}
