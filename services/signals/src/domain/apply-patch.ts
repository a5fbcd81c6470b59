import {
  type ChangeSource,
  type ErrorDetail,
  type Evidence,
  nextStatuses,
  type Realizable,
  type SignalEvent,
  type SignalEventType,
  type SignalPatch,
  type SignalStatus,
} from '@sigcast/contracts';
import {
  clockToleranceMs,
  type Decision,
  earliest,
  hasExactRoi,
  latest,
  type Signal,
  signalEvent,
} from './signal.ts';

/** The result of a patch. */
type PatchOutcome =
  | { readonly kind: 'changed'; readonly signal: Signal; readonly event: SignalEvent }
  /** The observation is older than the newest applied one, or is that one again, or the signal has the status already. */
  | { readonly kind: 'unchanged'; readonly signal: Signal }
  | { readonly kind: 'conflict'; readonly from: SignalStatus; readonly to: SignalStatus }
  | { readonly kind: 'rejected'; readonly details: readonly ErrorDetail[] };

const statusEvents = {
  winner: 'signal.winner',
  dead: 'signal.dead',
  rugged: 'signal.rugged',
} as const satisfies Partial<Record<SignalStatus, SignalEventType>>;

/**
 * Applies a patch as one change with one event: the event of the new status, or `signal.updated`.
 *
 * A patch with `observed_at` is an observation of that instant. The whole patch is ignored when a newer observation was
 * applied. It is also ignored when this observation was applied before, unless it now has another result of the exit rule.
 * Without `observed_at` the patch counts as the newest observation, even if another replica's clock is ahead. A change of
 * status without metrics and `observed_at` is no observation.
 *
 * The evidence of a status that the signal has already is ignored. So is a result of the exit rule once the signal has
 * one with an exit.
 */
export function applyPatch(
  signal: Signal,
  patch: SignalPatch,
  context: { readonly now: Date; readonly source: ChangeSource; readonly newEventId: () => string },
): PatchOutcome {
  const { now, source } = context;
  const details = problems(signal, patch, now);
  if (details.length > 0) return { kind: 'rejected', details };

  const observedAt = patch.observed_at ? earliest(patch.observed_at, now) : latest(now, signal.observedAt);
  if (observedAt < signal.observedAt) return { kind: 'unchanged', signal };

  const transition = decideTransition(signal.status, patch.status);
  const observed = observe(signal, patch, observedAt);
  const realizable = newestResult(signal.realizable, source === 'tracker' ? patch.realizable : undefined);
  const hasResult = realizable !== signal.realizable;
  const isNewest = patch.observed_at !== undefined && observedAt.getTime() === signal.observedAt.getTime();
  const isRepeated = isNewest && !hasResult && isSame(observed.metrics, signal.metrics);
  if (transition.kind !== 'change' && isRepeated) return { kind: 'unchanged', signal };
  if (transition.kind === 'conflict') return transition;
  const observesMetrics = Object.keys(patch.metrics ?? {}).length > 0;
  if (transition.kind === 'none' && !observesMetrics && !hasResult) return { kind: 'unchanged', signal };

  const updatedAt = latest(now, signal.updatedAt);
  const changed: Signal = {
    ...signal,
    ...observed,
    ...(realizable && { realizable }),
    rev: signal.rev + 1,
    observedAt: observesMetrics || patch.observed_at ? observedAt : signal.observedAt,
    updatedAt,
  };
  const origin = { id: context.newEventId(), source };
  if (transition.kind === 'none') {
    return { kind: 'changed', signal: changed, event: signalEvent('signal.updated', changed, origin) };
  }
  // Evidence counts only from the tracker.
  const evidence = source === 'tracker' && patch.evidence ? inUtc(patch.evidence) : undefined;
  const decision: Decision = {
    status: transition.to,
    at: updatedAt,
    ...(evidence === undefined ? {} : { evidence }),
  };
  const decided: Signal = { ...changed, status: transition.to, decision };
  const event = signalEvent(transition.event, decided, { ...origin, evidence });
  return { kind: 'changed', signal: decided, event };
}

type Transition =
  | { readonly kind: 'none' }
  | { readonly kind: 'change'; readonly to: Decision['status']; readonly event: SignalEventType }
  | { readonly kind: 'conflict'; readonly from: SignalStatus; readonly to: SignalStatus };

function decideTransition(from: SignalStatus, to: SignalStatus | undefined): Transition {
  if (to === undefined || to === from) return { kind: 'none' };
  if (to === 'active' || !nextStatuses[from].includes(to)) return { kind: 'conflict', from, to };
  return { kind: 'change', to, event: statusEvents[to] };
}

/** The evidence with its instants in UTC, as all instants are shown. */
function inUtc({ rule, observations }: Evidence): Evidence {
  return { rule, observations: observations.map((at) => new Date(at).toISOString()) };
}

/** The metrics after the observation, and when the highest market cap was observed. */
function observe(signal: Signal, patch: SignalPatch, at: Date): Pick<Signal, 'metrics' | 'athAt'> {
  const before = signal.metrics;
  const mcap_current = patch.metrics?.mcap_current ?? before.mcap_current;
  const isHigher = mcap_current > before.mcap_ath;
  return {
    metrics: {
      mcap_entry: before.mcap_entry,
      mcap_current,
      volume_24h: patch.metrics?.volume_24h ?? before.volume_24h,
      holders: patch.metrics?.holders ?? before.holders,
      liquidity: patch.metrics?.liquidity ?? before.liquidity,
      mcap_ath: isHigher ? mcap_current : before.mcap_ath,
    },
    athAt: isHigher ? at : signal.athAt,
  };
}

/** The known result; the one that was sent instead, unless the known one has an exit. Instants are in UTC, like all that are shown. */
function newestResult(known: Realizable | undefined, sent: Realizable | undefined): Realizable | undefined {
  if (sent === undefined || (known?.exit ?? null) !== null) return known;
  const { entered_at, exited_at } = sent;
  const result: Realizable = {
    ...sent,
    entered_at: new Date(entered_at).toISOString(),
    exited_at: exited_at === null ? null : new Date(exited_at).toISOString(),
  };
  return known !== undefined && isSame(known, result) ? known : result;
}

/** Whether two objects have the same members. For objects whose members are no objects. */
function isSame<T extends object>(one: T, other: T): boolean {
  const names = Object.keys(one) as (keyof T)[];
  return names.every((name) => one[name] === other[name]);
}

function problems(signal: Signal, { observed_at, metrics }: SignalPatch, now: Date): ErrorDetail[] {
  const found: ErrorDetail[] = [];
  if (observed_at !== undefined && observed_at.getTime() > now.getTime() + clockToleranceMs) {
    found.push({ field: 'observed_at', message: 'must not be in the future' });
  }
  const mcap = metrics?.mcap_current;
  if (mcap !== undefined && !hasExactRoi(signal.metrics.mcap_entry, mcap)) {
    found.push({ field: 'metrics.mcap_current', message: 'is too many times mcap_entry' });
  }
  return found;
}
