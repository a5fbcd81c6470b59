import { Child, tail } from '../child-process.ts';
import { nodeEnvironment } from '../node-environment.ts';
import { restartPauseMs } from '../restart-pause.ts';

/** How a process is started, and how to know that it serves. */
type WatchedProcessOptions = {
  readonly name: string;
  /** The file to run. Called at each start. */
  readonly entry: () => string;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Answers 200 when the process serves. */
  readonly readyUrl: string;
  readonly report: (line: string) => void;
};

/** A process of the system that is started again when it ends by itself. */
export type WatchedProcess = {
  readonly name: string;
  readonly pid: number | undefined;
  readonly logFile: string;
  /** Starts the process and resolves when it serves. */
  start(signal?: AbortSignal): Promise<void>;
  /** Shuts the process down in order. It is not started again. */
  stop(): Promise<void>;
  /** Sends the process a signal. It is not started again until `start`. @returns how it ended, such as `exit code 0`. */
  kill(signal: NodeJS.Signals): Promise<string | undefined>;
};

const readyTimeoutMs = 30_000;
/** Longer than an attempt at a delivery, which may take 5 s. Work that is not finished then is done after the next start. */
const stopGraceMs = 6_000;

/** Describes a process; `start` starts it. */
export function watchedProcess(options: WatchedProcessOptions): WatchedProcess {
  let child: Child | undefined;
  let wanted = false;
  let timer: NodeJS.Timeout | undefined;

  const launch = () => {
    const launched = Child.start({
      name: options.name,
      command: [process.execPath, options.entry()],
      env: nodeEnvironment(options.env),
      logFile: options.logFile,
      stopSignal: 'SIGTERM',
      killSignal: 'SIGKILL',
      parentDeathSignal: 'SIGTERM',
    });
    child = launched;
    return launched;
  };

  const restartAfter = (pauseMs: number) => {
    const nextPauseMs = Math.min(pauseMs * 2, restartPauseMs.max);
    timer = setTimeout(() => {
      try {
        watch(launch(), nextPauseMs);
      } catch (error) {
        // On a full disk, for example, the log can't be opened. At the next try there may be room again.
        options.report(`  ${options.name} can't be started: ${(error as Error).message}`);
        restartAfter(nextPauseMs);
      }
    }, pauseMs);
  };

  const watch = (watched: Child, pauseMs: number) => {
    const startedAt = Date.now();
    void watched.exited.then((outcome) => {
      if (!wanted || child !== watched) return;
      const pause = Date.now() - startedAt > 10_000 ? restartPauseMs.first : pauseMs;
      options.report(
        `  ${options.name} ended (${outcome}); starting it again. Last lines of ${options.logFile}:`,
      );
      options.report(tail(options.logFile, 3));
      restartAfter(pause);
    });
  };

  const halt = async <T>(how: (running: Child) => Promise<T>) => {
    wanted = false;
    clearTimeout(timer);
    return child && (await how(child));
  };

  return {
    name: options.name,
    logFile: options.logFile,
    get pid() {
      return child?.running ? child.pid : undefined;
    },
    start: async (signal) => {
      wanted = true;
      const launched = launch();
      await launched.ready(() => serves(options.readyUrl), readyTimeoutMs, signal);
      watch(launched, restartPauseMs.first);
    },
    stop: () => halt((running) => running.stop(stopGraceMs)),
    kill: (signal) =>
      halt(async (running) => {
        if (running.pid !== undefined && running.running) process.kill(running.pid, signal);
        return running.exited;
      }),
  };
}

async function serves(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
