import { keepDoing } from './keep-doing.ts';
import type { Resources } from './lifecycle.ts';
import type { Logger } from './log.ts';

type RepeatOptions = {
  /** The log message when a run fails. */
  readonly problem: string;
  /** The pause after each run, in milliseconds. */
  readonly everyMs: number;
  readonly log: Logger;
};

/** Repeats `work`, with a pause after each run, until `resources` are released. A failed run is logged. */
export function repeat(
  work: () => Promise<unknown>,
  { problem, everyMs, log }: RepeatOptions,
  resources: Resources,
): void {
  keepDoing(async () => {
    await work().catch((err: unknown) => log.warn({ err }, problem));
    return everyMs;
  }, resources);
}

/**
 * Calls `write` regularly for what a process keeps in memory until then, and once more when `resources` are released
 * (`isLast`). A failure is logged; what was not written should be written by the next call.
 */
export function writeRegularly(
  write: (isLast: boolean) => Promise<void>,
  options: RepeatOptions,
  resources: Resources,
): void {
  const { problem, log } = options;
  resources.defer(() => write(true).catch((err: unknown) => log.warn({ err }, problem)));
  repeat(() => write(false), options, resources);
}
