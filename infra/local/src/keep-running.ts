import { setTimeout as delay } from 'node:timers/promises';
import type { BackingService } from './backing-service.ts';
import { secondsSince } from './elapsed.ts';
import { restartPauseMs } from './restart-pause.ts';

/** Starts each service again, on the same ports and data, when it ends by itself, until `stopping` is aborted. */
export function keepRunning(
  services: Iterable<BackingService>,
  options: { readonly report: (line: string) => void; readonly stopping: AbortSignal },
): void {
  const { report, stopping } = options;
  const restart = async (service: BackingService) => {
    for (let pauseMs: number = restartPauseMs.first; !stopping.aborted; ) {
      const startedAt = performance.now();
      try {
        await service.start();
        report(`  ${service.name} ready in ${secondsSince(startedAt)} s`);
        return;
      } catch (error) {
        if (stopping.aborted) return;
        report(`  ${service.name} can't be started: ${(error as Error).message}`);
        await delay(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
        pauseMs = Math.min(pauseMs * 2, restartPauseMs.max);
      }
    }
  };
  for (const service of services) {
    service.onDeath((outcome) => {
      if (stopping.aborted) return;
      report(`  ${service.name} ended (${outcome}); starting it again`);
      // A service that ends right after each start must not be restarted in a tight loop.
      delay(restartPauseMs.first, undefined, { signal: stopping }).then(
        () => restart(service),
        () => undefined,
      );
    });
  }
}
