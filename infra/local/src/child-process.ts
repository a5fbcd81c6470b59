import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { dyingWithParent } from './parent-death.ts';

export type ChildSpec = {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** Standard output and error are appended here. */
  readonly logFile: string;
  /** The signal for an orderly shutdown. */
  readonly stopSignal: NodeJS.Signals;
  /** The signal that ends the process at once, like a crash. */
  readonly killSignal: NodeJS.Signals;
  /** Sent by the kernel when this process dies. */
  readonly parentDeathSignal: NodeJS.Signals;
};

/** How many lines of a log an error shows: enough for a stack trace, short enough to read. */
const logTailLines = 15;

/** A log that is larger when its process starts is renamed. */
const maxLogBytes = 10_000_000;

/**
 * One child process in its own session: a Ctrl-C in the terminal reaches only the supervisor, which then stops the
 * children in order.
 */
export class Child {
  readonly spec: ChildSpec;
  readonly exited: Promise<string>;
  #process: ChildProcess;
  #outcome: string | undefined;

  private constructor(spec: ChildSpec) {
    this.spec = spec;
    const [program, ...args] = dyingWithParent(spec.parentDeathSignal, spec.command);
    mkdirSync(dirname(spec.logFile), { recursive: true });
    rotate(spec.logFile);
    const log = openSync(spec.logFile, 'a');
    this.#process = spawn(program ?? '', args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: spec.env ?? process.env,
      ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
    });
    closeSync(log);
    this.exited = new Promise((resolve) => {
      const done = (outcome: string) => {
        this.#outcome = outcome;
        resolve(outcome);
      };
      this.#process.once('error', (error) => done(error.message));
      this.#process.once('exit', (code, signal) => done(signal ? `signal ${signal}` : `exit code ${code}`));
    });
    // A running child does not keep the supervisor alive: the kernel ends the child together with the supervisor.
    this.#process.unref();
  }

  static start(spec: ChildSpec): Child {
    return new Child(spec);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get running(): boolean {
    return this.#outcome === undefined;
  }

  /** Waits until `probe` is true. Rejects with the last lines of the log when the process ends or the time is up. */
  async ready(probe: () => Promise<boolean>, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      signal?.throwIfAborted();
      if (!this.running) throw this.#failure(`ended while starting (${this.#outcome})`);
      if (await probe()) return;
      if (Date.now() > deadline) throw this.#failure(`was not ready after ${timeoutMs / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Stops the process in order. Kills it after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    if (!this.running) return;
    // Its end is waited for, also when it takes longer than the timer.
    this.#process.ref();
    this.#process.kill(this.spec.stopSignal);
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), graceMs);
    await this.exited;
    clearTimeout(timer);
  }

  /** Ends the process without giving it a chance to tidy up. */
  async kill(): Promise<void> {
    if (!this.running) return;
    this.#process.ref();
    this.#process.kill(this.spec.killSignal);
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), 2_000);
    await this.exited;
    clearTimeout(timer);
  }

  #failure(what: string): Error {
    return new Error(
      `${this.spec.name} ${what}. Last lines of ${this.spec.logFile}:\n${tail(this.spec.logFile)}`,
    );
  }
}

/** Renames a log that has grown large. The one renamed before is overwritten. */
function rotate(file: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(file, `${file}.1`);
}

/** The last lines of a text file, indented; empty when it does not exist. */
export function tail(file: string, lines = logTailLines): string {
  if (!existsSync(file)) return '';
  const all = readFileSync(file, 'utf8').trimEnd().split('\n');
  return all
    .slice(-lines)
    .map((line) => `    ${line}`)
    .join('\n');
}
