import { keepDoing, type Logger, type Resources } from '@sigcast/runtime';
import type { StreamPrincipal, StreamPrincipals, StreamSlots } from '../domain/stream-principal.ts';
import type { OpenStreams } from './open-streams.ts';

/** Pause between two looks at who has streams open: with time to spare within the second that is promised. */
const pauseMs = 250;
/**
 * The pause is at least this many times as long as the look before it, so that looks take at most a fifth of a core and of
 * a connection. The second is kept while a look takes up to 160 ms: a change may just miss one, and is seen by the next.
 */
const pausePerLook = 4;
/** Pause between two renewals of the streams' slots; a third of what they last. */
const renewEveryMs = 10_000;

export type StreamWatchDeps = {
  readonly streams: OpenStreams;
  readonly principals: StreamPrincipals;
  readonly slots: StreamSlots;
  readonly clock: () => number;
  readonly log: Logger;
};

/**
 * Ends the streams of keys that were revoked or have expired, of accounts that are not active and of sessions that have
 * ended, within a second while a look takes up to 160 ms; and keeps the slots of those that are open. While the store is
 * away, streams go on until the end that was known before.
 */
export function watchStreams(
  { streams, principals, slots, clock, log }: StreamWatchDeps,
  resources: Resources,
): void {
  const knownUntilMs = new WeakMap<StreamPrincipal, number>();
  let storeAway = false;
  const look = async () => {
    const open = streams.principals();
    if (open.length === 0) return;
    try {
      const untilMs = await principals.validUntilMs(open);
      open.forEach((principal, index) => {
        knownUntilMs.set(principal, untilMs[index] ?? Number.POSITIVE_INFINITY);
      });
      storeAway = false;
    } catch (err) {
      if (!storeAway) log.warn({ err }, 'who has streams open could not be looked up');
      storeAway = true;
    }
    const nowMs = clock();
    for (const principal of open)
      if ((knownUntilMs.get(principal) ?? nowMs + 1) <= nowMs) streams.end(principal);
  };
  keepDoing(async () => {
    const startedAt = performance.now();
    await look();
    return Math.max(pauseMs, pausePerLook * (performance.now() - startedAt));
  }, resources);
  keepDoing(async () => {
    await slots
      .renew(streams.byAccount())
      .catch((err: unknown) => log.error({ err }, 'streams could not be said to be open'));
    return renewEveryMs;
  }, resources);
}
