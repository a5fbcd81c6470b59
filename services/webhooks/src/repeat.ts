import { type Logger, pause, type Resources } from '@sigcast/runtime';

/** Does `work` again and again, with a pause after each time; what fails is logged and done again. `resources` ends it. */
export function repeat(
  what: string,
  pauseMs: number,
  work: () => Promise<unknown>,
  { log, resources }: { readonly log: Logger; readonly resources: Resources },
): void {
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await work().catch((err: unknown) => log.warn({ err }, `${what} failed`));
      await pause(pauseMs, stopping.signal).catch(() => undefined);
    }
  })();
  resources.defer(async () => {
    stopping.abort();
    await running;
  });
}
