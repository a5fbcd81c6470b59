import { setTimeout as delay } from 'node:timers/promises';
import type { BackingService } from './backing-service.ts';

/** Pause before a start that failed is tried again, doubling up to the maximum while it keeps failing. */
const retryPauseMs = { first: 250, max: 5_000 };

/** Starts services again, on the same ports and data, whenever they end by themselves, until `stopping` is aborted. */
export function keepRunning(
  services: Iterable<BackingService>,
  options: { readonly report: (line: string) => void; readonly stopping: AbortSignal },
): void {
  const { report, stopping } = options;
  const restart = async (service: BackingService) => {
    for (let pauseMs = retryPauseMs.first; !stopping.aborted; ) {
      const startedAt = performance.now();
      try {
        await service.start();
        report(`  ${service.name} ready in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
        return;
      } catch (error) {
        if (stopping.aborted) return;
        report(`  ${service.name} can't be started: ${(error as Error).message}`);
        await delay(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
        pauseMs = Math.min(pauseMs * 2, retryPauseMs.max);
      }
    }
  };
  for (const service of services) {
    service.onDeath((outcome) => {
      if (stopping.aborted) return;
      report(`  ${service.name} ended (${outcome}); starting it again`);
      // A service that ends right after each start must not be restarted in a tight loop.
      delay(retryPauseMs.first, undefined, { signal: stopping }).then(
        () => restart(service),
        () => undefined,
      );
    });
  }
}
