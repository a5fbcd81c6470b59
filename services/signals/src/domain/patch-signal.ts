import {
  type EventPriority,
  invalidRequest,
  SigcastError,
  type SignalPatch,
  type SignalStatus,
  unavailable,
} from '@sigcast/contracts';
import { applyPatch } from './apply-patch.ts';
import { eventPriority } from './event-priority.ts';
import type { SignalChange, StoredSignal, WaitingSignal, WriteDeps } from './ports.ts';
import { type Signal, withTrace } from './signal.ts';

/** A signal after a patch, with the id of the change's event if the patch changed it. */
type Patched = { readonly signal: Signal; readonly eventId?: string };

/** A write is tried again when another writer changed the signal first. So many tries mean that something is wrong. */
const maxAttempts = 50;

/**
 * Events that an outbox holds at most while the broker is away: about 1 MB of a document's 16 MB. Beyond that, changes
 * of the signal are refused; a document at its maximum size could not be written at all.
 */
export const maxWaitingEvents = 1_000;

/**
 * Changes a signal.
 * @returns the changed signal and the id of the event, or the signal unchanged when the patch brings nothing new.
 * @throws {SigcastError} NOT_FOUND, INVALID_REQUEST, CONFLICT (illegal transition) or SERVICE_UNAVAILABLE.
 */
export async function patchSignal(deps: WriteDeps, id: string, patch: SignalPatch): Promise<Patched> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const stored = await deps.store.find(id);
    if (!stored) throw signalNotFound(id);
    const outcome = applyPatch(stored.signal, patch, { now: deps.now(), newEventId: deps.newEventId });
    switch (outcome.kind) {
      case 'unchanged':
        return { signal: outcome.signal };
      case 'rejected':
        throw invalidRequest(outcome.details);
      case 'conflict':
        throw illegalTransition(outcome);
      case 'changed': {
        if (stored.waitingEvents.length >= maxWaitingEvents) throw unavailable('The message broker');
        const { signal } = outcome;
        const priority = eventPriority(signal.updatedAt, stored.importedAt);
        const event = withTrace(outcome.event, deps.traceOf.request()?.traceparent);
        if ((await deps.store.replace([{ signal, event }])) === 1) {
          deps.noteStored(event, priority);
          deps.notifyRelay([waitingSignal({ signal, event }, stored, priority)]);
          return { signal, eventId: event.id };
        }
        await deps.pause(attempt);
      }
    }
  }
  throw unavailable('This signal');
}

/** The signal for the relay. The relay knows all its events if the outbox was empty before this change. */
export function waitingSignal(
  { signal, event }: SignalChange,
  { waitingEvents }: StoredSignal,
  priority: EventPriority,
): WaitingSignal {
  const { id, rev } = signal;
  return {
    id,
    priority,
    pending: waitingEvents.length === 0 ? { id, rev, events: [event], priority } : undefined,
  };
}

/** The error for a status that the signal's own status does not lead to. */
export function illegalTransition({
  from,
  to,
}: {
  readonly from: SignalStatus;
  readonly to: SignalStatus;
}): SigcastError {
  return new SigcastError('CONFLICT', `A signal can't go from ${from} to ${to}`, {
    details: [{ field: 'status', message: `can't become ${to} from ${from}` }],
  });
}

/** The error for an id that no signal has. */
export function signalNotFound(id: string): SigcastError {
  return new SigcastError('NOT_FOUND', `There is no signal ${id.slice(0, 40)}`);
}
