import { keepDoing, type Logger, type Resources } from '@sigcast/runtime';

/** Does `work` again and again, with a pause after each time; what fails is logged and done again. `resources` ends it. */
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
