import type { Logger, Resources } from '@sigcast/runtime';

/** How often counts in memory are written, in milliseconds. A crash loses the counts of this time at most. */
export const writeEveryMs = 5_000;

type Counts = {
  /** What is written, for the log. */
  readonly what: string;
  /** `isLast`: at the release. */
  readonly write: (isLast: boolean) => Promise<void>;
  readonly everyMs: number;
};

/** Calls `write` regularly until released, and once more at the release. A failure is logged, and `write` is called again. */
export function writeRegularly({ what, write, everyMs }: Counts, log: Logger, resources: Resources): void {
  let running = Promise.resolve();
  const writeOrLog = async (isLast: boolean) => {
    try {
      await write(isLast);
    } catch (err) {
      log.warn({ err }, `${what} could not be written to MongoDB; the next write tries again`);
    }
  };
  let isWriting = false;
  const timer = setInterval(() => {
    if (isWriting) return;
    isWriting = true;
    running = writeOrLog(false).finally(() => {
      isWriting = false;
    });
  }, everyMs);
  timer.unref();
  resources.defer(async () => {
    clearInterval(timer);
    await running;
    await writeOrLog(true);
  });
}
