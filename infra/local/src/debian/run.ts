import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { tail } from '../child-process.ts';
import { dyingWithParent } from '../parent-death.ts';
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
  const [program = '', ...args] = dyingWithParent(endSignal, command);
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a');
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1_000);
  const progress = setInterval(() => report.fleeting?.(`  ${what} … ${seconds()} s`), 1_000);
  try {
    const outcome = await new Promise<string | undefined>((resolve) => {
      const child = spawn(program, args, {
        stdio: ['ignore', log, log],
        detached: true,
        env: { ...process.env, LANG: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' },
      });
      const abort = () => child.kill(endSignal);
      signal?.addEventListener('abort', abort, { once: true });
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, killedBy) => {
        signal?.removeEventListener('abort', abort);
        resolve(code === 0 ? undefined : killedBy ? `signal ${killedBy}` : `exit code ${code}`);
      });
    });
    signal?.throwIfAborted();
    if (outcome !== undefined) {
      throw new Error(`Failed ${what} (${outcome}). Last lines of ${logFile}:\n${tail(logFile)}`);
    }
  } finally {
    clearInterval(progress);
    closeSync(log);
  }
}
