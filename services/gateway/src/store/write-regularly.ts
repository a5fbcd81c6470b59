import type { Logger, Resources } from '@sigcast/runtime';

/** How often what is noted off the requests' path is written. A crash loses at most this much of it. */
const writeEveryMs = 5_000;

/** Calls `write` every few seconds until released, and once more then. One that fails is logged and tried again. */
export function writeRegularly(
  { what, write }: { readonly what: string; readonly write: () => Promise<void> },
  log: Logger,
  resources: Resources,
): void {
  let running = Promise.resolve();
  const writeOrLog = async () => {
    try {
      await write();
    } catch (err) {
      log.warn({ err }, `${what} could not be written; it is tried again`);
    }
  };
  const timer = setInterval(() => {
    running = running.then(writeOrLog);
  }, writeEveryMs);
  timer.unref();
  resources.defer(async () => {
    clearInterval(timer);
    await running;
    await writeOrLog();
  });
}
