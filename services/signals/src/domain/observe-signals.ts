import {
  type ChangeSource,
  type Observation,
  type ObservationReport,
  SigcastError,
  unavailable,
} from '@sigcast/contracts';
import {
  type DecidedChange,
  decideChange,
  maxAttempts,
  noteWritten,
  signalNotFound,
} from './decide-change.ts';
import { pendingSignal } from './event-priority.ts';
import type { WriteDeps } from './ports.ts';

type ObservationError = ObservationReport['errors'][number];

type OpenItem = {
  readonly index: number;
  readonly observation: Observation;
  /** The change of the attempt before. Whether it was written is not known. */
  readonly tried?: DecidedChange;
};

/**
 * Applies observations of different signals, each like a patch: an observation that its signal refuses does not stop the
 * others. All signals are read by one command and changed by another one. An observation that is sent again while it is
 * the newest of its signal changes nothing.
 *
 * @throws {SigcastError} SERVICE_UNAVAILABLE. Changes written by then stay; the request may be repeated.
 */
export async function observeSignals(
  deps: WriteDeps,
  observations: readonly Observation[],
  source: ChangeSource,
): Promise<ObservationReport> {
  // The same instant for all attempts: an observation from a clock that is ahead counts as made then, each time.
  const now = deps.now();
  const counts = { applied: 0, unchanged: 0 };
  const errors: ObservationError[] = [];
  let open: readonly OpenItem[] = observations.map((observation, index) => ({ index, observation }));
  for (let attempt = 1; open.length > 0; attempt++) {
    if (attempt > maxAttempts) throw unavailable('Signals that others change all the time');
    const found = await deps.store.findAll(open.map(({ observation }) => observation.id));
    const decided: (OpenItem & { readonly tried: DecidedChange })[] = [];
    for (const { index, observation, tried } of open) {
      const { id, ...patch } = observation;
      const stored = found.get(id);
      if (tried && stored?.waitingEvents.some((event) => event.id === tried.event.id)) {
        counts.applied += 1;
        deps.noteStored(tried.event, tried.priority);
        deps.notifyRelay([pendingSignal(stored.signal, stored.waitingEvents, stored.importedAt)]);
        continue;
      }
      try {
        if (!stored) throw signalNotFound(id);
        const change = decideChange(deps, stored, { patch, now, source });
        if (change) decided.push({ index, observation, tried: change });
        else counts.unchanged += 1;
      } catch (error) {
        errors.push(failure(index, id, error));
      }
    }
    const changes = decided.map(({ tried }) => tried);
    // The store says how many changes it has written, not which. When one is missing, all are decided again.
    if ((await deps.store.replace(changes)) === changes.length) {
      counts.applied += changes.length;
      noteWritten(deps, changes);
      break;
    }
    open = decided;
    await deps.pause(attempt);
  }
  errors.sort((a, b) => a.index - b.index);
  return { received: observations.length, ...counts, failed: errors.length, errors };
}

/** The report of an observation that its signal refuses. @throws every other error. */
function failure(index: number, id: string, error: unknown): ObservationError {
  if (!(error instanceof SigcastError)) throw error;
  const { code, message, details = [] } = error;
  return { index, id, code, message, details: [...details] };
}
