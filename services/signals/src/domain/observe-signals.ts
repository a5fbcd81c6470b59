import {
  type ErrorDetail,
  type EventPriority,
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
  /** Each brought nothing new: a newer observation was applied, or this one before, by whomever. */
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

type Change = SignalChange & {
  readonly item: OpenItem;
  readonly stored: StoredSignal;
  readonly priority: EventPriority;
};

/**
 * Applies observations of as many signals, each like a patch of its own: an observation that its signal refuses keeps
 * none of the others back. All signals are read in one command and changed in another one. An observation that is sent
 * again while it is the newest of its signal changes nothing.
 *
 * @throws {SigcastError} SERVICE_UNAVAILABLE. What was written by then stays; the request may be repeated.
 */
export async function observeSignals(
  deps: WriteDeps,
  observations: readonly Observation[],
): Promise<ObservationReport> {
  // One instant for all attempts: an observation from a clock ahead of this one counts as of it, each time.
  const now = deps.now();
  const counts = { applied: 0, unchanged: 0 };
  const errors: ObservationError[] = [];
  let open: readonly OpenItem[] = observations.map((observation, index) => ({ index, observation }));
  for (let attempt = 1; open.length > 0; attempt++) {
    if (attempt > maxAttempts) throw unavailable('Signals that others change all the time');
    const stored = await deps.store.findAll(open.map(({ observation }) => observation.id));
    const changes: Change[] = [];
    for (const item of open) {
      const decided = decide(deps, item, stored.get(item.observation.id), now);
      if (decided instanceof SigcastError) errors.push(failure(item, decided));
      else if (decided === 'unchanged') counts.unchanged += 1;
      else if ('written' in decided) {
        counts.applied += 1;
        deps.noteStored(decided.written, decided.priority);
      } else changes.push(decided);
    }
    // The store says how many it has written, and not which. When one is missing, all are decided again.
    const isComplete = (await deps.store.replace(changes)) === changes.length;
    if (isComplete) {
      counts.applied += changes.length;
      for (const { event, priority } of changes) deps.noteStored(event, priority);
      deps.notifyRelay(changes.map((change) => waitingSignal(change, change.stored, change.priority)));
      break;
    }
    // The relay reads the outboxes of those that were written.
    deps.notifyRelay(changes.map(({ signal: { id }, priority }) => ({ id, priority })));
    open = changes.map(({ item, event }) => ({ ...item, tried: event }));
    await deps.pause(attempt);
  }
  errors.sort((a, b) => a.index - b.index);
  return { received: observations.length, ...counts, failed: errors.length, errors };
}

/** What an observation does to its signal as it is stored now. `written`: an attempt before has written this event. */
function decide(
  deps: WriteDeps,
  { observation, tried, ...item }: OpenItem,
  stored: StoredSignal | undefined,
  now: Date,
):
  | 'unchanged'
  | { readonly written: OutgoingEvent; readonly priority: EventPriority }
  | SigcastError
  | Change {
  const { id, ...patch } = observation;
  if (!stored) return signalNotFound(id);
  const priority = eventPriority(now, stored.importedAt);
  if (tried && stored.waitingEvents.includes(tried.id)) return { written: tried, priority };
  const outcome = applyPatch(stored.signal, patch, { now, newEventId: deps.newEventId });
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
      return { signal: outcome.signal, event, item: { ...item, observation }, stored, priority };
    }
  }
}

function failure(
  { index, observation }: OpenItem,
  { code, message, details }: SigcastError,
): ObservationError {
  return { index, id: observation.id, code, message, details: details ?? [] };
}
