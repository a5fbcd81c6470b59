import { keepDoing, type Logger, type Resources, repeat } from '@sigcast/runtime';
import type { StreamPrincipal, StreamPrincipals, StreamSlots } from '../domain/stream-principal.ts';
import type { OpenStreams } from './open-streams.ts';

/** Pause between two checks of the principals: well below the promised second. */
const pauseMs = 250;
/**
 * The pause is at least this many times as long as the check before it, so that checks take at most a fifth of a core and of
 * a connection. Streams end within a second while a check takes up to 160 ms: a change may just miss one check.
 */
const pausePerCheck = 4;
/** Pause between two renewals of the slots: a third of their lease. */
const renewEveryMs = 10_000;

export type StreamWatchDeps = {
  readonly streams: OpenStreams;
  readonly principals: StreamPrincipals;
  readonly slots: StreamSlots;
  readonly clock: () => number;
  readonly log: Logger;
};

/**
 * Ends the streams of revoked and expired keys, of ended sessions and of accounts that are not active, within a second while
 * a check takes up to 160 ms. Renews the slots of open streams. While the store is unavailable, streams go on until the end
 * that the last check found.
 */
export function watchStreams(
  { streams, principals, slots, clock, log }: StreamWatchDeps,
  resources: Resources,
): void {
  const knownUntilMs = new WeakMap<StreamPrincipal, number>();
  let storeUnavailable = false;
  const check = async () => {
    const open = streams.principals();
    if (open.length === 0) return;
    try {
      const untilMs = await principals.validUntilMs(open);
      open.forEach((principal, index) => {
        knownUntilMs.set(principal, untilMs[index] ?? Number.POSITIVE_INFINITY);
      });
      storeUnavailable = false;
    } catch (err) {
      if (!storeUnavailable) log.warn({ err }, 'the keys and sessions of open streams could not be checked');
      storeUnavailable = true;
    }
    const nowMs = clock();
    for (const principal of open)
      if ((knownUntilMs.get(principal) ?? nowMs + 1) <= nowMs) streams.end(principal);
  };
  keepDoing(async () => {
    const startedAt = performance.now();
    await check();
    return Math.max(pauseMs, pausePerCheck * (performance.now() - startedAt));
  }, resources);
  const problem = 'the slots of open streams could not be renewed';
  repeat(() => slots.renew(streams.byAccount()), { problem, everyMs: renewEveryMs, log }, resources);
}
