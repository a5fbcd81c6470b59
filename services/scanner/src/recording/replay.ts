import type { NewSignalRequest, Origin } from '@sigcast/contracts';
import { dexScreenerPools, type LimitedSource, type Pool } from '@sigcast/market';
import type { MarketObservation } from '@sigcast/outcomes';
import { type Candidate, Candidates, candidateKey } from '../domain/candidate.ts';
import { freshMs, judgeCandidates } from '../domain/judge-candidates.ts';
import type { Thresholds } from '../domain/rules/thresholds.ts';
import type { Reason } from '../domain/rules/v1.ts';
import { dexScreenerListsOf, geckoTerminalListsOf } from '../sources/lists.ts';
import { marketsOf } from '../sources/markets.ts';
import { observationOf } from '../sources/observation-of.ts';
import { followOutcome, type Outcome } from './follow-outcome.ts';
import { memoryMadeSignals } from './memory-made-signals.ts';
import { type BadLine, type RecordedAnswer, readRecording } from './recorded-answer.ts';

/** A signal that the rules make of a recording, and what became of it. */
export type ReplayedSignal = NewSignalRequest & { readonly outcome: Outcome };

/** What rules make of a recording. */
export type Replayed = {
  readonly rule: Origin['rule'];
  readonly from: string | null;
  readonly to: string | null;
  readonly answers: number;
  readonly bad_lines: readonly BadLine[];
  /** Tokens that lists named, of the chains whose markets were recorded. */
  readonly tokens: number;
  readonly signals: readonly ReplayedSignal[];
  /** How many tokens each reason has refused, for one type at least. */
  readonly refusals: { readonly [Each in Reason]?: number };
  /** Tokens whose risks the rules ask for and nobody has asked a source for: unknown. */
  readonly unrecorded: number;
};

export type ReplayOptions = {
  readonly file: string;
  readonly thresholds: Thresholds;
  readonly rule: Origin['rule'];
  readonly coolDownMs: number;
  /** How long a verdict on a token stands, in milliseconds. */
  readonly againAfterMs: number;
};

/** Nothing stops a replay but its end. */
const never = new AbortController().signal;

/**
 * Makes signals of recorded answers by the code that makes them of live ones: lists, candidates, observations, rules. The clock
 * is the recording's. A token is judged at the first answer about its market after a list has named it.
 * @throws when the file can't be read
 */
export async function replay(options: ReplayOptions): Promise<Replayed> {
  const { file, thresholds, rule, againAfterMs } = options;
  const { facts, chains } = await readAhead(file);
  let current: RecordedAnswer | undefined;
  const nowMs = () => current?.at.getTime() ?? 0;
  const now = () => new Date(nowMs());

  const currentSource: LimitedSource = {
    failures: 0,
    get: () => Promise.resolve(current?.answer ?? { kind: 'paused', reason: 'nothing is recorded yet' }),
  };
  const unrecorded = new Set<string>();
  /** What a source has answered by now, or at once. What it answers later is waited for, and what it was never asked is unknown. */
  const factsSource: LimitedSource = {
    failures: 0,
    get: (path) => {
      const known = facts.get(path);
      if (known === undefined) unrecorded.add(path);
      const answer = known?.findLast(({ at }) => at.getTime() <= nowMs() + freshMs)?.answer;
      const missing = known === undefined ? 'refused' : 'paused';
      return Promise.resolve(answer ?? ({ kind: missing, reason: 'it is not recorded' } as const));
    },
  };
  const lists = new Map(
    [...dexScreenerListsOf(currentSource), ...geckoTerminalListsOf(currentSource, [...chains])].map(
      (list) => [list.path, list],
    ),
  );
  const signals: { request: NewSignalRequest; followed: ReturnType<typeof followOutcome> }[] = [];
  const refused = new Map<Reason, Set<string>>();
  const deps = {
    thresholds,
    rule,
    now,
    markets: marketsOf({ markets: currentSource, orders: factsSource, facts: factsSource }, now),
    made: memoryMadeSignals({
      coolDownMs: options.coolDownMs,
      now,
      added: (request) => signals.push({ request, followed: followOutcome(request, now()) }),
    }),
    refused: (_type: unknown, reason: Reason, candidate: Candidate) => {
      const tokens = refused.get(reason) ?? new Set();
      refused.set(reason, tokens.add(candidateKey(candidate)));
    },
    wasMade: () => undefined,
  };

  const candidates = new Candidates(againAfterMs);
  const tokens = new Set<string>();
  const bad: BadLine[] = [];
  let [answers, from]: [number, string | null] = [0, null];
  for await (current of readRecording(file, (line) => bad.push(line))) {
    answers += 1;
    from ??= current.at.toISOString();
    const found = await lists.get(current.path)?.read(never);
    for (const find of found && !('problem' in found) ? found : []) {
      if (!chains.has(find.chain)) continue;
      tokens.add(candidateKey(find));
      candidates.add(find, nowMs());
    }
    const market = marketIn(current);
    if (market === undefined) continue;
    for (const { request, followed } of signals) {
      const observation = figuresOf(request.token, market);
      if (observation) followed.observe(observation);
    }
    for (let left = candidates.takeThese(market.asked, nowMs()); left.length > 0; ) {
      const result = await judgeCandidates(deps, left, never);
      // Facts of the last one are answered later; the others need not wait for them.
      candidates.giveBack(result.left.slice(-1));
      left = result.left.slice(0, -1);
    }
  }
  return {
    rule,
    from,
    to: current?.at.toISOString() ?? null,
    answers,
    bad_lines: bad,
    tokens: tokens.size,
    signals: signals.map(({ request, followed }) => ({ ...request, outcome: followed.outcome })),
    refusals: Object.fromEntries([...refused].map(([reason, of]) => [reason, of.size])),
    unrecorded: [...unrecorded].filter((path) => path.endsWith('/info')).length,
  };
}

const marketsPath = /^\/tokens\/v1\/([^/]+)\/(.+)$/;

/** An answer about markets: which tokens it was asked about, and their pools, both by `candidateKey`. */
type RecordedMarket = {
  readonly at: Date;
  readonly asked: ReadonlySet<string>;
  readonly pools: ReadonlyMap<string, readonly Pool[]>;
};

/** What an answer says of markets; undefined for one to another request, or that says nothing. */
function marketIn({ at, path, answer }: RecordedAnswer): RecordedMarket | undefined {
  const [, chain, addresses] = marketsPath.exec(path) ?? [];
  const pools = answer.kind === 'answered' ? dexScreenerPools(answer.json) : undefined;
  if (chain === undefined || addresses === undefined || pools === undefined) return undefined;
  const keyOf = (address: string) =>
    candidateKey({ chain: decodeURIComponent(chain), contract: decodeURIComponent(address) });
  return {
    at,
    asked: new Set(addresses.split(',').map(keyOf)),
    pools: Map.groupBy(pools, (pool) => candidateKey({ chain: pool.chain, contract: pool.token })),
  };
}

/** The chains whose markets are in the file, and all that it has of holders, risks and orders, oldest first. */
async function readAhead(file: string) {
  const facts = new Map<string, RecordedAnswer[]>();
  const chains = new Set<string>();
  for await (const recorded of readRecording(file, () => undefined)) {
    const { path, answer } = recorded;
    const [, chain] = marketsPath.exec(path) ?? [];
    if (chain !== undefined) chains.add(decodeURIComponent(chain));
    const isOfOneToken = path.startsWith('/orders/') || path.endsWith('/info');
    const isFinal = answer.kind === 'answered' || answer.kind === 'refused';
    if (isOfOneToken && isFinal) facts.set(path, [...(facts.get(path) ?? []), recorded]);
  }
  return { facts, chains };
}

/** What an answer says of a signal's token; undefined where it says nothing that can be used. */
function figuresOf(
  { chain = '', contract }: NewSignalRequest['token'],
  { at, asked, pools }: RecordedMarket,
): MarketObservation | undefined {
  const key = candidateKey({ chain, contract });
  if (!asked.has(key)) return undefined;
  const own = pools.get(key);
  if (own === undefined) return { kind: 'absent', observedAt: at };
  const { mcap, liquidity, volume24h } =
    observationOf({ chain, contract, links: {}, lists: [], listedMs: 0 }, own, at) ?? {};
  const isUsable = mcap !== undefined && liquidity !== undefined && volume24h !== undefined;
  return isUsable ? { kind: 'market', observedAt: at, mcap, liquidity, volume24h } : undefined;
}
