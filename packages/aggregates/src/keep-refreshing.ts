import { keepDoing, type Logger, pause, type Resources } from '@sigcast/runtime';
import type { Aggregates } from './aggregates.ts';

/** Between two looks for changes, in milliseconds. */
const everyMs = 300;
/** Between two looks whether some of the figures are right. */
const auditEveryMs = 10_000;
/** Between two steps of counting what is not known, so that others are served meanwhile. */
const countUnknownEveryMs = 100;
/** After a step that counted nothing new: a process of an earlier version takes changes in, or another one counts. */
const countUnknownAgainMs = 1_000;
/** After a failure; the store then has worse to do. */
const retryMs = 2_000;
/** Between two questions whether there is room. */
const roomEveryMs = 100;

/** Builds the aggregates and keeps them up with the changes until the resources are released. */
export function keepRefreshing(aggregates: Aggregates, log: Logger, resources: Resources): void {
  let auditedAtMs = performance.now();
  let countUnknownAtMs = auditedAtMs;
  keepDoing(async (stopping) => {
    try {
      await aggregates.build(stopping);
      if (!(await aggregates.keepUp())) return 0;
      if (performance.now() - auditedAtMs > auditEveryMs) {
        auditedAtMs = performance.now();
        if (!(await aggregates.audit()))
          log.error('aggregates: figures differed from a recount and were put right');
      }
      if (performance.now() < countUnknownAtMs) return everyMs;
      const came = await aggregates.countUnknown();
      if (came === 'nothing new') countUnknownAtMs = performance.now() + countUnknownAgainMs;
      return came === 'counted' ? countUnknownEveryMs : everyMs;
    } catch (err) {
      log.warn({ err }, 'aggregates: refreshing failed and will be tried again');
      return retryMs;
    }
  }, resources);
}

/** Waits until few changes wait to be taken in, or until `signal` is aborted. */
export async function waitForRoom(
  aggregates: Pick<Aggregates, 'hasRoom'>,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted && !(await aggregates.hasRoom())) await pause(roomEveryMs);
}
