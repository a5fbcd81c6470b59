import { isAddress } from '@sigcast/market';
import type { MarketObservation } from '@sigcast/outcomes';
import type { Logger, LogThrottle } from '@sigcast/runtime';
import type { ApplyRules } from '../domain/apply-rules.ts';
import type {
  Claim,
  FollowedSignals,
  LeasedChange,
  LeasedSignal,
  PendingObservation,
} from '../domain/following.ts';
import { type Applied, pendingOf } from '../domain/pending.ts';
import { followPosition } from '../domain/position/exit-rule.ts';
import { isFollowed, nextDue, type Schedule } from '../domain/schedule.ts';
import type { SendObservations } from '../domain/sending.ts';
import type { Choice } from '../market/choose-market.ts';
import { type MarketFailure, mayBeOfOneToken } from '../market/market-source.ts';
import { type AskDeps, type Asked, askMarkets, halfOf } from './ask-markets.ts';
import { type AnswerKind, answerKinds } from './metrics.ts';

export type ClaimDeps = AskDeps & {
  readonly store: FollowedSignals;
  readonly send: SendObservations;
  readonly applyRules: ApplyRules;
  readonly schedule: Schedule;
  /** How often holders are asked about, where they are. */
  readonly refreshSchedule?: Schedule | undefined;
  readonly log: Logger;
  readonly logThrottle: LogThrottle;
};

/**
 * Something that the poller needs does not work now. The signals of the claim are due again. `isOfOne`: one of several tokens may
 * be to blame, and the rest of the market answer.
 */
export type Problem = { readonly what: string; readonly reason: string; readonly isOfOne?: boolean };

type Observed = { readonly signal: LeasedSignal; readonly observation: PendingObservation };

const takesNone = 'the signals service takes no observations';

/** The least time before an observation that the signals service did not take yet is sent again, in milliseconds. */
const resendMs = 60_000;

/**
 * What is done with a claimed signal: an earlier observation is sent first; a signal past the schedule's last age is not
 * followed any more; one whose contract is no address is skipped.
 */
export function taskOf(
  { contract, followed, pending }: LeasedSignal,
  schedule: Schedule,
  nowMs: number,
): 'send' | 'end' | 'skip' | 'ask' {
  if (pending !== undefined) return 'send';
  if (!isFollowed(schedule, followed.createdAt.getTime(), nowMs)) return 'end';
  return isAddress(contract) ? 'ask' : 'skip';
}

/** The most time until a market is asked again whose figures are doubted, in milliseconds. */
const doubtMs = 60_000;

/**
 * Processes the signals of a claim: sends earlier observations that were not sent, asks the market about the other signals,
 * applies the rules, sends the new observations, and ends the leases. Each step is stored before the next one. So the poller
 * that claims the signals after a crash sends the same observation again, which changes nothing.
 *
 * Asks each source of the market at most once, about the signals whose task is `ask`. If there are any, the caller has taken a
 * permit of the first source.
 *
 * @param stopping ends a request to the market. What was observed by then is still sent.
 * @returns a problem with the market or with the signals service. @throws when the store is away.
 */
export async function processClaim(
  deps: ClaimDeps,
  claim: Claim,
  stopping: AbortSignal,
): Promise<Problem | undefined> {
  const { store, schedule, metrics, log } = deps;
  const begunAt = performance.now();
  /** The store's clock: the same for all pollers, so that a signal's observations are in order. */
  const nowMs = () => claim.nowMs + Math.floor(performance.now() - begunAt);
  const next = ({ followed }: LeasedSignal, observedAtMs: number) => {
    const dueMs = nextDue(schedule, followed.createdAt.getTime(), observedAtMs);
    return dueMs === undefined ? undefined : new Date(dueMs);
  };
  const write = (changes: readonly LeasedChange[]) => store.write(claim.lease, changes);
  /** Ends leases: the signals are due since when they were due before. */
  const giveBack = (signals: readonly LeasedSignal[], more: { readonly mostTokens?: number } = {}) =>
    write(signals.map(({ id, dueAt }) => ({ id, ...more, release: { dueAt } })));

  /**
   * Ends leases after an answer of no use. One of several contracts may be to blame: then the market is asked about half as
   * many at once, so that in the end none keeps another back. A contract that fails alone waits for its next regular time.
   */
  const marketFailed = async (
    signals: readonly LeasedSignal[],
    contracts: readonly string[],
    failure: MarketFailure,
  ): Promise<Problem> => {
    const { reason } = failure;
    const isOfOne = mayBeOfOneToken(failure);
    if (!isOfOne) {
      await giveBack(signals);
    } else if (contracts.length === 1) {
      if (deps.logThrottle.isDue('failing contract'))
        log.warn({ contract: contracts[0], reason }, 'the market fails for a contract');
      const nextAt = nowMs();
      await write(
        signals.map((one) => ({ id: one.id, mostTokens: 1, release: { dueAt: next(one, nextAt) } })),
      );
    } else {
      await giveBack(signals, { mostTokens: halfOf(contracts) });
    }
    return {
      what: 'the market does not answer',
      reason,
      isOfOne: isOfOne && contracts.length > 1,
    };
  };

  /**
   * Applies the rules to a signal's observation, and the exit rule where it is of the first source. The figures are sent even when
   * a rule fails.
   */
  const applied = (signal: LeasedSignal, observation: MarketObservation): Applied => {
    try {
      const { state, decision } = deps.applyRules(signal.followed, signal.state, observation);
      if (observation.kind === 'market' && observation.onlyBreaks) return { state };
      const isOver = decision !== undefined && decision.status !== 'winner';
      const position = followPosition(signal.followed, signal.position, { observation, isOver });
      return { state, decision, position };
    } catch (err) {
      log.error({ err, signal_id: signal.id }, 'the rules failed for an observation');
      return {};
    }
  };

  /** When the holders of a signal's token are asked about first; undefined where they are already, or are not to be. */
  const firstRefresh = ({ isRefreshed, followed }: LeasedSignal, at: Date) => {
    const { refreshSchedule } = deps;
    if (isRefreshed || refreshSchedule === undefined || claim.chain === '') return undefined;
    const dueMs = nextDue(refreshSchedule, followed.createdAt.getTime(), at.getTime());
    return dueMs === undefined ? undefined : new Date(dueMs);
  };

  /** Stores what was observed. @returns the observations to be sent, of the signals whose leases are still held. */
  const keep = async (
    signals: readonly LeasedSignal[],
    { chosen, mostTokens }: Extract<Asked, { kind: 'answered' }>,
  ): Promise<readonly Observed[]> => {
    const observedAt = new Date(nowMs());
    const late = new Map(answerKinds.map((kind) => [kind, [] as number[]]));
    const observed: Observed[] = [];
    const changes = signals.map((signal): LeasedChange => {
      const choice = chosen(signal);
      late.get(kindOf(choice))?.push(observedAt.getTime() - signal.dueAt.getTime());
      const most = mostTokens ?? (signal.mostTokens === undefined ? undefined : null);
      const change = { id: signal.id, ...(most !== undefined && { mostTokens: most }) };
      const dueAt = next(signal, observedAt.getTime());
      if (choice.kind === 'unusable') return { ...change, release: { dueAt } };
      if (choice.kind === 'doubted') {
        const soonAt = dueAt && new Date(Math.min(dueAt.getTime(), observedAt.getTime() + doubtMs));
        return {
          ...change,
          seen: { ...signal.seen, doubted: choice.figures },
          release: { dueAt: soonAt },
        };
      }
      const { market, source } = choice;
      const observation = { ...market, observedAt, onlyBreaks: source === 'second' };
      const made = applied(signal, observation);
      const { state, position } = made;
      const seen = market.kind === 'market' && {
        seen: { counted: { mcap: market.mcap, liquidity: market.liquidity, source } },
      };
      const pending = pendingOf(observation, made, signal.holders);
      if (pending === undefined) return { ...change, ...seen, state, position, release: { dueAt } };
      observed.push({ signal, observation: pending });
      return {
        ...change,
        ...seen,
        ...(pending.metrics?.holders !== undefined && { holders: null }),
        refreshAt: firstRefresh(signal, observedAt),
        state,
        position,
        pending,
      };
    });
    for (const [kind, ms] of late) metrics.observed(kind, ms);
    const held = await write(changes);
    return observed.filter(({ signal }) => held.has(signal.id));
  };

  /** Sends observations and ends the leases of their signals. */
  const send = async (observed: readonly Observed[]): Promise<Problem | undefined> => {
    if (observed.length === 0) return undefined;
    const report = await deps.send(observed.map(({ signal: { id }, observation }) => ({ id, observation })));
    if (report.kind === 'unavailable') {
      await giveBack(observed.map(({ signal }) => signal));
      return { what: takesNone, reason: report.reason };
    }
    metrics.sent('applied', report.applied);
    metrics.sent('unchanged', report.unchanged);
    metrics.sent('later', report.later.size);
    const laterMs = nowMs() + resendMs;
    const changes = observed.map(({ signal, observation }): LeasedChange => {
      const { id } = signal;
      const { observedAt, status, evidence } = observation;
      const dueAt = next(signal, observedAt.getTime());
      const refused = report.refused.get(id);
      if (refused) {
        metrics.sent(refused.refusal, 1);
        log.warn({ signal_id: id, ...refused }, 'the signals service refuses an observation');
      }
      if (status && report.decided.has(id)) {
        metrics.decided(status);
        log.info({ signal_id: id, status, observations: evidence?.observations }, 'a status was decided');
      }
      const reason = report.later.get(id);
      if (reason !== undefined) {
        if (deps.logThrottle.isDue('later'))
          log.warn({ signal_id: id, status, reason }, 'the signals service does not take an observation yet');
        return { id, release: { dueAt: new Date(Math.max(laterMs, dueAt?.getTime() ?? 0)) } };
      }
      // A decision does not end the following: the consumer does, once the event says that the signal is final.
      const isOver = refused?.refusal === 'not_found';
      return { id, pending: null, release: { dueAt: isOver ? undefined : dueAt } };
    });
    await write(changes);
    return report.problem === undefined ? undefined : { what: takesNone, reason: report.problem };
  };

  const signalsTo = (task: ReturnType<typeof taskOf>) =>
    claim.signals.filter((signal) => taskOf(signal, schedule, claim.nowMs) === task);
  const toAsk = signalsTo('ask');
  const skipped = signalsTo('skip');
  metrics.observed(
    'unusable',
    skipped.map(() => 0),
  );
  await write([
    ...signalsTo('end').map(({ id }) => ({ id, release: { dueAt: undefined } })),
    ...skipped.map((signal) => ({ id: signal.id, release: { dueAt: next(signal, claim.nowMs) } })),
  ]);
  const unsent = claim.signals.flatMap((signal) =>
    signal.pending === undefined ? [] : { signal, observation: signal.pending },
  );
  const problem = await send(unsent);
  if (problem || toAsk.length === 0) {
    await giveBack(toAsk);
    return problem;
  }
  const asked = await askMarkets(deps, { chain: claim.chain, signals: toAsk }, stopping);
  if (asked.kind === 'failed') return marketFailed(toAsk, asked.contracts, asked.failure);
  if (asked.kind === 'answered') return send(await keep(toAsk, asked));
  await giveBack(toAsk);
  return { what: 'the poller stops', reason: '' };
}

function kindOf(choice: Choice): AnswerKind {
  if (choice.kind !== 'counts') return choice.kind;
  return choice.market.kind === 'market' && choice.source === 'second' ? 'second' : choice.market.kind;
}
