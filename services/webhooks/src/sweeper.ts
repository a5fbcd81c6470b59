import { type Logger, pause, type Resources } from '@sigcast/runtime';

/** Deliveries looked at in one go. */
const batch = 500;

/**
 * Again and again takes up every delivery that is due and seems to have no message: what a crash, a lost lease or a
 * wiped broker left. It asks nobody but the store, so a broker that is away costs latency, never a delivery.
 */
export function startSweeper(
  deps: {
    readonly takeStranded: (limit: number) => Promise<readonly string[]>;
    /** Takes up a delivery if it is due and its subscription has a slot. */
    readonly take: (deliveryId: string) => Promise<void>;
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
        await Promise.all(stranded.map((id) => deps.take(id)));
        if (stranded.length > 0) log.info({ deliveries: stranded.length }, 'swept stranded deliveries');
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
