import { keepDoing, type Logger, type Resources } from '@sigcast/runtime';

type RepeatOptions = {
  /** Names the work in the log. */
  readonly what: string;
  /** The pause after each run, in milliseconds. */
  readonly pauseMs: number;
  readonly log: Logger;
  readonly resources: Resources;
};

/** Repeats `work`, with a pause after each run, until `resources` end it. A failed run is logged. */
export function repeat(work: () => Promise<unknown>, { what, pauseMs, log, resources }: RepeatOptions): void {
  keepDoing(async () => {
    await work().catch((err: unknown) => log.warn({ err }, `${what} failed`));
    return pauseMs;
  }, resources);
}
