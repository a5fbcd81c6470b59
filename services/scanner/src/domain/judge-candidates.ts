import type { Origin, SignalType } from '@sigcast/contracts';
import { type Candidate, candidateKey } from './candidate.ts';
import { signalRequest } from './new-signal.ts';
import type { Observation } from './observation.ts';
import type { MadeSignals, Markets, SourceAway } from './ports.ts';
import type { Thresholds } from './rules/thresholds.ts';
import { judge, type Reason, type Verdict } from './rules/v1.ts';

export type JudgeDeps = {
  readonly markets: Markets;
  readonly made: MadeSignals;
  readonly thresholds: Thresholds;
  readonly rule: Origin['rule'];
  /** Told each refusal by type; once, for all of them, where they have the same reason. */
  readonly refused: (type: SignalType | 'all', reason: Reason, candidate: Candidate) => void;
  readonly wasMade: (type: SignalType) => void;
  readonly now: () => Date;
};

/** How old the figures of a signal are at most when it is made, in milliseconds. Permits for facts may take longer. */
export const freshMs = 5_000;

/**
 * Judges candidates of one chain, and writes the signals that they are. Sources are asked for facts only about tokens that can
 * be signals, and not within their cool-down.
 * @returns the candidates that could not be judged, because a source is away, the one that found it out last. @throws when the
 * store is away.
 */
export async function judgeCandidates(
  deps: JudgeDeps,
  candidates: readonly Candidate[],
  stopping: AbortSignal,
): Promise<{ readonly left: readonly Candidate[]; readonly problem?: SourceAway }> {
  const answer = await deps.markets.observe(candidates, stopping);
  if (answer.kind === 'away') return { left: candidates, problem: answer };
  for (const [index, candidate] of candidates.entries()) {
    const token = answer.tokens.get(candidateKey(candidate));
    if (token === undefined) {
      deps.refused('all', 'no_market', candidate);
      continue;
    }
    const problem = await judgeOne(deps, candidate, token, stopping);
    // What may be this token's fault keeps no other one back: it comes last.
    if (problem !== undefined) return { left: [...candidates.slice(index + 1), candidate], problem };
  }
  return { left: [] };
}

/** @returns why the token could not be judged. */
async function judgeOne(
  deps: JudgeDeps,
  candidate: Candidate,
  token: Observation,
  stopping: AbortSignal,
): Promise<SourceAway | undefined> {
  const tell = ({ types, refusals }: Verdict) => {
    const [reason, ...others] = new Set(Object.values(refusals));
    const isOne = types.length === 0 && reason !== undefined && others.length === 0;
    if (isOne) deps.refused('all', reason, candidate);
    else
      for (const [type, each] of Object.entries(refusals)) deps.refused(type as SignalType, each, candidate);
  };
  // Facts can make it premium, and less of everything else.
  const atBest = judge({ ...token, top10Share: 0, isHoneypot: false }, deps.thresholds);
  const coolingDown =
    atBest.types.length === 0 ? new Set<SignalType>() : await deps.made.coolingDown(candidate);
  if (atBest.types.every((type) => coolingDown.has(type))) {
    for (const type of atBest.types) deps.refused(type, 'cooling_down', candidate);
    tell(atBest);
    return undefined;
  }
  const known = await deps.markets.withFacts(token, stopping);
  if (known.kind === 'away') return known;
  if (known.kind === 'unreadable') {
    deps.refused('all', 'risks_unknown', candidate);
    return undefined;
  }
  let observed = known.token;
  if (deps.now().getTime() - observed.observedAt.getTime() > freshMs) {
    const again = await deps.markets.observe([candidate], stopping);
    if (again.kind === 'away') return again;
    const newest = again.tokens.get(candidateKey(candidate));
    if (newest === undefined) {
      deps.refused('all', 'no_market', candidate);
      return undefined;
    }
    observed = { ...observed, ...newest, links: { ...observed.links, ...newest.links } };
  }
  const verdict = judge(observed, deps.thresholds);
  tell(verdict);
  for (const type of verdict.types) {
    const request = signalRequest(type, observed, { candidate, rule: deps.rule });
    if (request === undefined) deps.refused(type, 'bad_name', candidate);
    else if (coolingDown.has(type) || !(await deps.made.add(candidate, request)))
      deps.refused(type, 'cooling_down', candidate);
    else deps.wasMade(type);
  }
  return undefined;
}
