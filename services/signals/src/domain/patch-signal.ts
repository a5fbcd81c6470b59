import { type ChangeSource, type SignalPatch, unavailable } from '@sigcast/contracts';
import { decideChange, maxAttempts, noteWritten, signalNotFound } from './decide-change.ts';
import type { WriteDeps } from './ports.ts';
import type { Signal } from './signal.ts';

/** A signal after a patch, with the id of the change's event if the patch changed it. */
type Patched = { readonly signal: Signal; readonly eventId?: string };

/**
 * Changes a signal.
 * @returns the changed signal and the id of the event, or the signal unchanged when the patch brings nothing new.
 * @throws {SigcastError} NOT_FOUND, INVALID_REQUEST, CONFLICT (illegal transition) or SERVICE_UNAVAILABLE.
 */
export async function patchSignal(
  deps: WriteDeps,
  id: string,
  { patch, source }: { readonly patch: SignalPatch; readonly source: ChangeSource },
): Promise<Patched> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const stored = await deps.store.find(id);
    if (!stored) throw signalNotFound(id);
    const change = decideChange(deps, stored, { patch, source, now: deps.now() });
    if (change === undefined) return { signal: stored.signal };
    if ((await deps.store.replace([change])) === 1) {
      noteWritten(deps, [change]);
      return { signal: change.signal, eventId: change.event.id };
    }
    await deps.pause(attempt);
  }
  throw unavailable('This signal');
}
