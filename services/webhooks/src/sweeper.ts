import { type Logger, pause, type Resources } from '@sigcast/runtime';

/** Deliveries looked at in one go. */
const batch = 500;

/**
 * Again and again publishes a pointer for every delivery that is due and seems to have no message: what a crash, a
 * lost lease or a wiped broker left. Broker loss so costs latency, never a delivery.
 */
export function startSweeper(
  deps: {
    readonly takeStranded: (limit: number) => Promise<readonly string[]>;
    readonly point: (deliveryId: string) => Promise<void>;
    readonly intervalMs: number;
  },
  log: Logger,
  resources: Resources,
): void {
  const stopping = new AbortController();
  const sweep = async () => {
    while (!stopping.signal.aborted) {
      try {
        const stranded = await deps.takeStranded(batch);
        await Promise.all(stranded.map((id) => deps.point(id)));
        if (stranded.length > 0) log.info({ deliveries: stranded.length }, 'pointed to stranded deliveries');
        if (stranded.length === batch) continue;
      } catch (err) {
        log.warn({ err }, 'sweeping failed');
      }
      await pause(deps.intervalMs, stopping.signal).catch(() => undefined);
    }
  };
  const running = sweep();
  resources.defer(async () => {
    stopping.abort();
    await running;
  });
}
