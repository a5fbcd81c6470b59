import {
  type ChangeSource,
  type EventPriority,
  invalidRequest,
  SigcastError,
  type SignalPatch,
  unavailable,
} from '@sigcast/contracts';
import { applyPatch } from './apply-patch.ts';
import { eventPriority, pendingSignal } from './event-priority.ts';
import type { SignalChange, StoredSignal, WriteDeps } from './ports.ts';
import { withTrace } from './signal.ts';

/** A change that is to be written, and the signal that it was decided for. */
export type DecidedChange = SignalChange & {
  readonly stored: StoredSignal;
  readonly priority: EventPriority;
};

/** A write is tried again when another writer changed the signal first. So many tries mean that something is wrong. */
export const maxAttempts = 50;

/**
 * Events that an outbox holds at most while the broker is away: about 1 MB of a document's 16 MB. Beyond that, changes
 * of the signal are refused; a document at its maximum size could not be written at all.
 */
export const maxWaitingEvents = 1_000;

/**
 * Decides what a patch does to a signal as it is stored.
 * @returns the change, or undefined when the patch brings nothing new.
 * @throws {SigcastError} INVALID_REQUEST, CONFLICT (illegal transition) or SERVICE_UNAVAILABLE.
 */
export function decideChange(
  deps: WriteDeps,
  stored: StoredSignal,
  { patch, now, source }: { readonly patch: SignalPatch; readonly now: Date; readonly source: ChangeSource },
): DecidedChange | undefined {
  const outcome = applyPatch(stored.signal, patch, { now, source, newEventId: deps.newEventId });
  switch (outcome.kind) {
    case 'unchanged':
      return undefined;
    case 'rejected':
      throw invalidRequest(outcome.details);
    case 'conflict':
      throw new SigcastError('CONFLICT', `A signal can't go from ${outcome.from} to ${outcome.to}`, {
        details: [{ field: 'status', message: `can't become ${outcome.to} from ${outcome.from}` }],
      });
    case 'changed': {
      if (stored.waitingEvents.length >= maxWaitingEvents) throw unavailable('The message broker');
      const { signal } = outcome;
      const event = withTrace(outcome.event, deps.traceOf.request()?.traceparent);
      return { signal, event, stored, priority: eventPriority(signal.updatedAt, stored.importedAt) };
    }
  }
}

/** Passes on that these changes were written. */
export function noteWritten(deps: WriteDeps, changes: readonly DecidedChange[]): void {
  for (const { event, priority } of changes) deps.noteStored(event, priority);
  deps.notifyRelay(
    changes.map(({ signal, event, stored }) =>
      pendingSignal(signal, [...stored.waitingEvents, event], stored.importedAt),
    ),
  );
}

/** The error for an id that no signal has. */
export function signalNotFound(id: string): SigcastError {
  return new SigcastError('NOT_FOUND', `There is no signal ${id.slice(0, 40)}`);
}
