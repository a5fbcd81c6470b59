import {
  type EventPriority,
  invalidRequest,
  type OutgoingEvent,
  SigcastError,
  type SignalPatch,
  unavailable,
} from '@sigcast/contracts';
import { applyPatch } from './apply-patch.ts';
import { eventPriority } from './event-priority.ts';
import type { StoredSignal, WaitingSignal, WriteDeps } from './ports.ts';
import { type Signal, withTrace } from './signal.ts';

/** A signal, and the event that tells of its change if there was one. */
export type Patched = { readonly signal: Signal; readonly eventId?: string };

/** Writers that change one signal at once take turns; this many lost turns mean something is wrong. */
const maxAttempts = 50;

/**
 * Events a signal keeps while the broker is away (about 1 MB of a document's 16 MB). Beyond it changes are
 * refused rather than the document grown until nothing can be written to it at all.
 */
export const maxWaitingEvents = 1_000;

/**
 * Changes a signal.
 * @returns the signal after the change and the event that tells of it, or the signal as it is when the patch brings nothing new.
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
        throw new SigcastError('CONFLICT', `A signal can't go from ${outcome.from} to ${outcome.to}`, {
          details: [{ field: 'status', message: `can't become ${outcome.to} from ${outcome.from}` }],
        });
      case 'changed': {
        if (stored.waitingEvents >= maxWaitingEvents) throw unavailable('The message broker');
        const { signal } = outcome;
        const priority = eventPriority(signal.updatedAt, stored.importedAt);
        const event = withTrace(outcome.event, deps.traceOf.request()?.traceparent);
        if (await deps.store.replace(signal, event)) {
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

/** The signal, with the event just written where none was waiting before it: the same revision was read and replaced. */
function waitingSignal(
  { signal, event }: { readonly signal: Signal; readonly event: OutgoingEvent },
  { waitingEvents }: StoredSignal,
  priority: EventPriority,
): WaitingSignal {
  const { id, rev } = signal;
  return { id, priority, pending: waitingEvents === 0 ? { id, rev, events: [event], priority } : undefined };
}

/** The error for an id that is not, or can't be, a signal's. */
export function signalNotFound(id: string): SigcastError {
  return new SigcastError('NOT_FOUND', `There is no signal ${id.slice(0, 40)}`);
}
