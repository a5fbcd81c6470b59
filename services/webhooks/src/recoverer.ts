import { keepDoing, type Logger, type Resources } from '@sigcast/runtime';
import { type RecoveryStore, workOnRecovery } from './domain/recovery.ts';

/** The pause after there was no recovery to work on, in milliseconds. */
const intervalMs = 3_000;
/** How long one recovery is worked on before others get their turn, in milliseconds. */
const timeSliceMs = 5_000;

/** Works on recoveries that the api left unfinished or whose process died, one after another, until `resources` end it. */
export function startRecoverer(store: RecoveryStore, log: Logger, resources: Resources): void {
  keepDoing(async (stopping) => {
    const now = () => (stopping.aborted ? Number.POSITIVE_INFINITY : Date.now());
    try {
      const claim = await store.reclaimExpired();
      if (!claim) return intervalMs;
      const reached = await workOnRecovery(claim, { store, now, untilMs: Date.now() + timeSliceMs });
      if (reached?.completedAt) {
        const { retried, opened } = reached;
        log.info({ subscription: claim.subscription, retried, opened }, 'recovery completed');
      }
      return 0;
    } catch (err) {
      log.warn({ err }, 'a step of a recovery failed; the recovery is claimed again');
      return intervalMs;
    }
  }, resources);
}
