import { contractKey } from '@sigcast/contracts';
import { dexScreenerPools, hasPaidProfile, type LimitedSource, networkOf, tokenFacts } from '@sigcast/market';
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

/** Figures from DexScreener's `/tokens/v1` and `/orders/v1` and GeckoTerminal's `/tokens/…/info`. */
export function marketsOf(sources: FigureSources, now: () => Date): Markets {
  return {
    observe: async (candidates, stopping) => {
      const [first] = candidates;
      if (first === undefined) return { kind: 'observed', tokens: new Map() };
      const addresses = candidates.map(({ contract }) => encodeURIComponent(contract)).join(',');
      const answer = await sources.markets.get(
        `/tokens/v1/${encodeURIComponent(first.chain)}/${addresses}`,
        stopping,
      );
      if (answer.kind !== 'answered') return { kind: 'away', reason: answer.reason };
      const pools = dexScreenerPools(answer.json);
      if (pools === undefined) return { kind: 'away', reason: "the answer is not in DexScreener's format" };
      const ofChain = pools.filter(({ chain }) => chain === first.chain);
      const byToken = Map.groupBy(ofChain, ({ token }) => contractKey(token));
      const observedAt = now();
      const observed = candidates.flatMap((candidate): [string, Observation][] => {
        const own = byToken.get(contractKey(candidate.contract)) ?? [];
        const token = observationOf(candidate, own, observedAt);
        return token ? [[candidateKey(candidate), token]] : [];
      });
      return { kind: 'observed', tokens: new Map(observed) };
    },

    withFacts: async (token, stopping) => {
      const [chain, contract] = [encodeURIComponent(token.chain), encodeURIComponent(token.contract)];
      const network = encodeURIComponent(networkOf(token.chain));
      const [info, paid] = await Promise.all([
        known(sources.facts, `/networks/${network}/tokens/${contract}/info`, stopping),
        known(sources.orders, `/orders/v1/${chain}/${contract}`, stopping),
      ]);
      for (const answer of [info, paid]) if (answer?.kind === 'away') return answer;
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
