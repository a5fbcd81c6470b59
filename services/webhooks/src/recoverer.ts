import { keepDoing, type Logger, type Resources } from '@sigcast/runtime';
import { type RecoveryStore, workOnRecovery } from './domain/recovery.ts';

/** Between two looks for recoveries to go on with, in milliseconds. */
const intervalMs = 1_000;
/** A long recovery gives way to others after this time, in milliseconds. */
const turnMs = 5_000;

/** Again and again takes up recoveries that the api left unfinished, or whose process died. */
export function startRecoverer(store: RecoveryStore, log: Logger, resources: Resources): void {
  keepDoing(async (stopping) => {
    const now = () => (stopping.aborted ? Number.POSITIVE_INFINITY : Date.now());
    try {
      const claim = await store.takeUp();
      if (!claim) return intervalMs;
      const reached = await workOnRecovery(claim, { store, now, untilMs: Date.now() + turnMs });
      if (reached?.completedAt) {
        const { retried, opened } = reached;
        log.info({ subscription: claim.subscription, retried, opened }, 'recovery completed');
      }
      return 0;
    } catch (err) {
      log.warn({ err }, 'recovering failed; it is taken up again');
      return intervalMs;
    }
  }, resources);
}
