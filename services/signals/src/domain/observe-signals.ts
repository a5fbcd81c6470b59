import {
  type ErrorDetail,
  type Observation,
  type OutgoingEvent,
  SigcastError,
  unavailable,
} from '@sigcast/contracts';
import { applyPatch } from './apply-patch.ts';
import { eventPriority } from './event-priority.ts';
import { illegalTransition, maxWaitingEvents, signalNotFound, waitingSignal } from './patch-signal.ts';
import type { SignalChange, StoredSignal, WriteDeps } from './ports.ts';
import { withTrace } from './signal.ts';

/** What became of some observations. `received` = `applied` + `unchanged` + `failed`. */
export type ObservationReport = {
  readonly received: number;
  /** Each changed its signal and made one event. */
  readonly applied: number;
  /** Each brought nothing new: a newer observation was applied, or this one before. */
  readonly unchanged: number;
  readonly failed: number;
  /** The observations that failed, in the order of the request. */
  readonly errors: readonly ObservationError[];
};

export type ObservationError = {
  /** Its place in the request, from 0. */
  readonly index: number;
  readonly id: string;
  readonly code: string;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
};

/** Writers that change the same signals at once lose a write now and then. So many in a row mean that something is wrong. */
const maxAttempts = 50;

type OpenItem = {
  readonly index: number;
  readonly observation: Observation;
  /** The event of the attempt before. Whether it was written is not known. */
  readonly tried?: OutgoingEvent;
};

type Change = SignalChange & { readonly item: OpenItem; readonly stored: StoredSignal };

/**
 * Applies observations of as many signals, each like a patch of its own: one that fails keeps none of the others back.
 * All are read in one command and written in another one. A repeated request changes nothing and makes no event.
 *
 * @throws {SigcastError} SERVICE_UNAVAILABLE. What was written by then stays; the request may be repeated.
 */
export async function observeSignals(
  deps: WriteDeps,
  observations: readonly Observation[],
): Promise<ObservationReport> {
  const counts = { applied: 0, unchanged: 0 };
  const errors: ObservationError[] = [];
  let open: readonly OpenItem[] = observations.map((observation, index) => ({ index, observation }));
  for (let attempt = 1; open.length > 0; attempt++) {
    if (attempt > maxAttempts) throw unavailable('One of these signals');
    const stored = await deps.store.findAll(open.map(({ observation }) => observation.id));
    const changes: Change[] = [];
    for (const item of open) {
      const decided = decide(deps, item, stored.get(item.observation.id));
      if (decided instanceof SigcastError) errors.push(failure(item, decided));
      else if (typeof decided === 'string') counts[decided] += 1;
      else changes.push(decided);
    }
    // The store says how many it has written, and not which. When one is missing, all are looked at again.
    const isComplete = (await deps.store.replace(changes)) === changes.length;
    if (isComplete) {
      counts.applied += changes.length;
      tell(deps, changes);
    }
    open = isComplete ? [] : changes.map(({ item, event }) => ({ ...item, tried: event }));
    if (open.length > 0) await deps.pause(attempt);
  }
  errors.sort((a, b) => a.index - b.index);
  return { received: observations.length, ...counts, failed: errors.length, errors };
}

/** What an observation does to its signal as it is stored now. */
function decide(
  deps: WriteDeps,
  item: OpenItem,
  stored: StoredSignal | undefined,
): 'applied' | 'unchanged' | SigcastError | Change {
  const { observation, tried } = item;
  const { id, ...patch } = observation;
  if (!stored) return signalNotFound(id);
  if (tried && stored.waitingEvents.includes(tried.id)) {
    const priority = eventPriority(stored.signal.updatedAt, stored.importedAt);
    deps.noteStored(tried, priority);
    deps.notifyRelay([{ id, priority }]);
    return 'applied';
  }
  const outcome = applyPatch(stored.signal, patch, { now: deps.now(), newEventId: deps.newEventId });
  switch (outcome.kind) {
    case 'unchanged':
      return 'unchanged';
    case 'rejected':
      return new SigcastError('INVALID_REQUEST', 'The observation is invalid', {
        details: [...outcome.details],
      });
    case 'conflict':
      return illegalTransition(outcome);
    case 'changed': {
      if (stored.waitingEvents.length >= maxWaitingEvents) return unavailable('The message broker');
      const event = withTrace(outcome.event, deps.traceOf.request()?.traceparent);
      return { signal: outcome.signal, event, item, stored };
    }
  }
}

/** Tells the relay of the events that were written. */
function tell(deps: WriteDeps, changes: readonly Change[]): void {
  const waiting = changes.map((change) => {
    const priority = eventPriority(change.signal.updatedAt, change.stored.importedAt);
    deps.noteStored(change.event, priority);
    return waitingSignal(change, change.stored, priority);
  });
  deps.notifyRelay(waiting);
}

function failure(
  { index, observation }: OpenItem,
  { code, message, details }: SigcastError,
): ObservationError {
  return { index, id: observation.id, code, message, details: details ?? [] };
}
