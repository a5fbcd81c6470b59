import { keepLooking, type Logger, pause, type Resources } from '@sigcast/runtime';
import type { Aggregates } from './aggregates.ts';

/** Between two refreshes, in milliseconds: while documents change or figures are used, and at most. */
const pauses = { firstMs: 300, maxMs: 5_000 };
/** Between two audits. */
const auditEveryMs = 10_000;
/** After a failure. */
const retryMs = 2_000;
/** Between two checks of whether there is room. */
const roomEveryMs = 100;

/** Builds the aggregates and refreshes them until the resources are released. */
export function keepRefreshing(aggregates: Aggregates, log: Logger, resources: Resources): void {
  let auditedAtMs = performance.now();
  const look = async (stopping: AbortSignal) => {
    try {
      await aggregates.build(stopping);
      const refreshed = await aggregates.refreshIfNeeded();
      if (refreshed === 'more') return 0;
      if (performance.now() - auditedAtMs > auditEveryMs) {
        auditedAtMs = performance.now();
        if (!(await aggregates.audit()))
          log.error('aggregates: figures differed from a recount and were put right');
      }
      return refreshed === 'done' ? pauses.firstMs : undefined;
    } catch (err) {
      log.warn({ err }, 'aggregates: refreshing failed and will be tried again');
      return { retryMs };
    }
  };
  aggregates.whenUsed(keepLooking(look, pauses, resources));
}

/** Resolves when few changes wait to be counted, or when `signal` is aborted. */
export async function waitForRoom(
  aggregates: Pick<Aggregates, 'hasRoom'>,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted && !(await aggregates.hasRoom())) await pause(roomEveryMs);
}
