import { contractKey } from '@sigcast/contracts';
import {
  dexScreenerPools,
  hasPaidProfile,
  type LimitedSource,
  mayBeCut,
  networkOf,
  tokenFacts,
} from '@sigcast/market';
import { candidateKey } from '../domain/candidate.ts';
import type { Observation } from '../domain/observation.ts';
import type { Markets } from '../domain/ports.ts';
import { observationOf } from './observation-of.ts';

/** Sources of figures. A source that is switched off is undefined, and what it knows is unknown. */
export type FigureSources = {
  readonly markets: LimitedSource;
  readonly orders?: LimitedSource | undefined;
  readonly facts?: LimitedSource | undefined;
};

/** After so many failures in a row of orders, some minutes, signals are made without them. */
const ordersTries = 10;

/** Figures from DexScreener's `/tokens/v1` and `/orders/v1` and GeckoTerminal's `/tokens/…/info`. */
export function marketsOf(sources: FigureSources, now: () => Date): Markets {
  const observe: Markets['observe'] = async (candidates, stopping) => {
    const [first] = candidates;
    if (first === undefined) return { kind: 'observed', tokens: new Map() };
    const addresses = candidates.map(({ contract }) => encodeURIComponent(contract)).join(',');
    const path = `/tokens/v1/${encodeURIComponent(first.chain)}/${addresses}`;
    const answer = await sources.markets.get(path, stopping);
    const isRefused = answer.kind === 'refused';
    if (answer.kind !== 'answered' && !isRefused) return { kind: 'away', reason: answer.reason };
    const pools = answer.kind === 'answered' ? dexScreenerPools(answer.json) : [];
    if (pools === undefined) return { kind: 'away', reason: "the answer is not in DexScreener's format" };
    // What one token alone causes is found by halves.
    if ((isRefused && candidates.length > 1) || mayBeCut(pools, candidates.length)) {
      const middle = Math.ceil(candidates.length / 2);
      const one = await observe(candidates.slice(0, middle), stopping);
      const other = one.kind === 'away' ? one : await observe(candidates.slice(middle), stopping);
      if (one.kind === 'away' || other.kind === 'away') return other;
      return { kind: 'observed', tokens: new Map([...one.tokens, ...other.tokens]) };
    }
    const ofChain = pools.filter(({ chain }) => chain === first.chain);
    const byToken = Map.groupBy(ofChain, ({ token }) => contractKey(token));
    const observedAt = now();
    const observed = candidates.flatMap((candidate): [string, Observation][] => {
      const own = byToken.get(contractKey(candidate.contract)) ?? [];
      const token = observationOf(candidate, own, observedAt);
      return token ? [[candidateKey(candidate), token]] : [];
    });
    return { kind: 'observed', tokens: new Map(observed) };
  };
  return {
    observe,
    withFacts: async (token, stopping) => {
      const [chain, contract] = [encodeURIComponent(token.chain), encodeURIComponent(token.contract)];
      const network = encodeURIComponent(networkOf(token.chain));
      const paid = await known(sources.orders, `/orders/v1/${chain}/${contract}`, stopping);
      // A signal waits for a short while to know whether it is paid for, and no longer.
      if (paid?.kind === 'away' && (sources.orders?.failures ?? 0) < ordersTries) return paid;
      const info = await known(sources.facts, `/networks/${network}/tokens/${contract}/info`, stopping);
      if (info?.kind === 'away') return info;
      const risks = tokenFacts(info?.json);
      if (info !== undefined && risks === undefined) return { kind: 'unreadable' };
      const facts = { ...token, ...risks, isPaid: hasPaidProfile(paid?.json) };
      return { kind: 'observed', token: { ...facts, links: { ...facts.links, ...token.links } } };
    },
  };
}

type Known =
  | { readonly kind: 'answered'; readonly json?: unknown }
  | { readonly kind: 'away'; readonly reason: string; readonly json?: undefined };

/** What a source says; nothing where it is switched off, or refuses the question, as it does not know the token. */
async function known(
  source: LimitedSource | undefined,
  path: string,
  stopping: AbortSignal,
): Promise<Known | undefined> {
  const answer = await source?.get(path, stopping);
  if (answer === undefined || answer.kind === 'refused') return undefined;
  return answer.kind === 'answered' ? answer : { kind: 'away', reason: answer.reason };
}
