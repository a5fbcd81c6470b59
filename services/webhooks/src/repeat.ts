import { keepDoing, type Logger, type Resources } from '@sigcast/runtime';

/** Repeats `work` with a pause after each run, until `resources` end it. A failed run is logged. `what` names the work in the log. */
export function repeat(
  what: string,
  pauseMs: number,
  work: () => Promise<unknown>,
  { log, resources }: { readonly log: Logger; readonly resources: Resources },
): void {
  keepDoing(async () => {
    await work().catch((err: unknown) => log.warn({ err }, `${what} failed`));
    return pauseMs;
  }, resources);
}
