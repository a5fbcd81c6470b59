import {
  invalidRequest,
  SigcastError,
  type SignalEvent,
  type SignalPatch,
  unavailable,
} from '@sigcast/contracts';
import { applyPatch } from './apply-patch.ts';
import { eventPriority } from './event-priority.ts';
import type { StoredSignal, WaitingSignal, WriteDeps } from './ports.ts';
import type { Signal } from './signal.ts';

/** Writers that change one signal at once take turns; this many lost turns mean something is wrong. */
const maxAttempts = 50;

/**
 * Events a signal keeps while the broker is away (about 1 MB of a document's 16 MB). Beyond it changes are
 * refused rather than the document grown until nothing can be written to it at all.
 */
export const maxWaitingEvents = 1_000;

/**
 * Changes a signal.
 * @returns the signal after the change, or as it is when the patch brings nothing new.
 * @throws {SigcastError} NOT_FOUND, INVALID_REQUEST, CONFLICT (illegal transition) or SERVICE_UNAVAILABLE.
 */
export async function patchSignal(deps: WriteDeps, id: string, patch: SignalPatch): Promise<Signal> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const stored = await deps.store.find(id);
    if (!stored) throw signalNotFound(id);
    const outcome = applyPatch(stored.signal, patch, { now: deps.now(), newEventId: deps.newEventId });
    switch (outcome.kind) {
      case 'unchanged':
        return outcome.signal;
      case 'rejected':
        throw invalidRequest(outcome.details);
      case 'conflict':
        throw new SigcastError('CONFLICT', `A signal can't go from ${outcome.from} to ${outcome.to}`, {
          details: [{ field: 'status', message: `can't become ${outcome.to} from ${outcome.from}` }],
        });
      case 'changed':
        if (stored.waitingEvents >= maxWaitingEvents) throw unavailable('The message broker');
        if (await deps.store.replace(outcome.signal, outcome.event)) {
          deps.wakeRelay([waitingSignal(outcome, stored)]);
          return outcome.signal;
        }
        await deps.pause(attempt);
    }
  }
  throw unavailable('This signal');
}

/** The signal, with the event just written where none was waiting before it: the same revision was read and replaced. */
function waitingSignal(
  { signal, event }: { readonly signal: Signal; readonly event: SignalEvent },
  { waitingEvents, importedAt }: StoredSignal,
): WaitingSignal {
  const { id, rev } = signal;
  const priority = eventPriority(signal.updatedAt, importedAt);
  return { id, priority, pending: waitingEvents === 0 ? { id, rev, events: [event], priority } : undefined };
}

/** The error for an id that is not, or can't be, a signal's. */
export function signalNotFound(id: string): SigcastError {
  return new SigcastError('NOT_FOUND', `There is no signal ${id.slice(0, 40)}`);
}
