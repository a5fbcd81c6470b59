import { launchers, startOf } from './process-table.ts';

/** The pause between two looks whether the processes that started this one still live. */
const launcherCheckMs = 500;

/** A request to stop: a signal, or the end of the process that started this one. */
type StopSignal = {
  readonly signal: AbortSignal;
  /** Resolves when a stop is requested. */
  readonly requested: Promise<void>;
  /** Why the stop was requested: the name of a signal, or the end of another process. */
  reason(): string;
};

/**
 * Requests a stop on SIGINT, SIGTERM and SIGHUP, and when the parent process or a package manager above it ends: npx and
 * pnpm don't pass SIGTERM on, and the system must not run on when nobody can stop it.
 */
export function stopRequested(): StopSignal {
  const controller = new AbortController();
  let reason = '';
  const ask = (why: string) => {
    if (controller.signal.aborted) return;
    reason = why;
    controller.abort(new Error(`stopped by ${why}`));
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => ask(name));
  const parent = process.ppid;
  const above = launchers().map((pid) => ({ pid, startedAt: startOf(pid) }));
  const timer = setInterval(() => {
    const gone = above.some(({ pid, startedAt }) => startOf(pid) !== startedAt);
    if (gone || process.ppid !== parent) ask('the end of the process that started it');
  }, launcherCheckMs);
  timer.unref();
  const requested = new Promise<void>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(), { once: true });
    // Keeps the process alive until the stop.
    const alive = setInterval(() => undefined, 1 << 30);
    controller.signal.addEventListener('abort', () => clearInterval(alive), { once: true });
  });
  return { signal: controller.signal, requested, reason: () => reason };
}
