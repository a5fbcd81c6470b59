import { Child, tail } from '../child-process.ts';
import type { Report } from '../report.ts';

export type RunOptions = {
  readonly what: string;
  readonly command: readonly string[];
  readonly logFile: string;
  readonly report: Report;
  /** Sent to the command when this process dies or `signal` aborts. Default: SIGTERM. */
  readonly endSignal?: 'SIGTERM' | 'SIGKILL';
  readonly signal?: AbortSignal | undefined;
};

/**
 * Runs one command to its end. The output goes to `logFile`. A terminal shows for how long the command has run.
 * @throws Error with the last lines of the output when the command fails.
 */
export async function run(options: RunOptions): Promise<void> {
  const { what, command, logFile, report, signal, endSignal = 'SIGTERM' } = options;
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1_000);
  // Keeps this process alive, too: a child does not.
  const progress = setInterval(() => report.fleeting?.(`  ${what} … ${seconds()} s`), 1_000);
  const child = Child.start({
    name: what,
    command,
    logFile,
    env: { ...process.env, LANG: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' },
    stopSignal: endSignal,
    killSignal: endSignal,
    parentDeathSignal: endSignal,
  });
  // However long it takes: a package manager leaves everything in order first.
  const abort = () => void child.stop(2 ** 31 - 1);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const outcome = await child.exited;
    signal?.throwIfAborted();
    if (outcome === 'exit code 0') return;
    throw new Error(`Failed ${what} (${outcome}). Last lines of ${logFile}:\n${tail(logFile)}`);
  } finally {
    signal?.removeEventListener('abort', abort);
    clearInterval(progress);
  }
}
