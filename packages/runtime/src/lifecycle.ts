import { pause } from './backoff.ts';
import { ConfigError, settings } from './config.ts';
import type { Logger } from './log.ts';

/** What a service acquires goes here; it is released in reverse order. */
export type Resources = AsyncDisposableStack;

/** What a service has to know of its end. */
export type Shutdown = {
  /** Aborts when the process is told to stop; what it acquired is released after the delay. */
  readonly stopping: AbortSignal;
  /** How long releasing everything may take, in milliseconds. */
  readonly timeoutMs: number;
};

/** The settings of every service's end. */
export const shutdownSettings = {
  /**
   * How long a process that was told to stop serves on, in milliseconds, so that balancers see that it isn't ready and
   * clients leave: longer than it takes a probe to fail, and than the 5 s that clients may keep idle connections.
   */
  SHUTDOWN_DELAY_MS: settings.integer(5_000, 0, 60_000),
  /** How long it may then take to finish what it has in hand, in milliseconds. */
  SHUTDOWN_TIMEOUT_MS: settings.integer(20_000, 100, 300_000),
};

/** What these settings say. */
export type ShutdownSettings = { readonly [name in keyof typeof shutdownSettings]: number };

/**
 * Runs a service until SIGTERM or SIGINT, then lets it serve on for a moment and releases what it acquired; a second
 * signal ends it at once. Exits with 1 when it can't start or when something nobody handled goes wrong: an unknown
 * state is left, never lived with.
 */
export async function runService(
  log: Logger,
  start: (resources: Resources, shutdown: Shutdown) => Promise<void>,
  { SHUTDOWN_DELAY_MS: delayMs, SHUTDOWN_TIMEOUT_MS: timeoutMs }: ShutdownSettings,
): Promise<void> {
  const resources = new AsyncDisposableStack();
  const stopping = new AbortController();
  /** Aborts the delay. */
  const hurry = new AbortController();
  let exitCode = 0;
  let started = false;

  const stop = async () => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    await pause(delayMs, hurry.signal).catch(() => undefined);
    const deadline = setTimeout(() => {
      log.error({ timeoutMs }, 'stopping took too long');
      process.exit(1);
    }, timeoutMs);
    try {
      await resources.disposeAsync();
    } catch (err) {
      log.error({ err }, 'stopping went wrong');
      exitCode = 1;
    }
    clearTimeout(deadline);
    process.exit(exitCode);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping.signal.aborted) {
      log.warn({ signal }, 'told to stop again: ending at once');
      process.exit(1);
    }
    log.info({ signal, delayMs }, 'stopping');
    // What doesn't serve yet has nobody who has to notice.
    if (!started) hurry.abort();
    void stop();
  };
  const onFatal = (what: string, err: unknown) => {
    log.fatal({ err }, what);
    exitCode = 1;
    hurry.abort();
    void stop();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('uncaughtException', (err) => onFatal('uncaught exception', err));
  process.on('unhandledRejection', (err) => onFatal('unhandled rejection', err));
  try {
    await start(resources, { stopping: stopping.signal, timeoutMs });
    started = true;
  } catch (error) {
    // What was told to stop while it started finds its resources released.
    if (!stopping.signal.aborted) onFatal("can't start", error);
  }
}

/** Reads settings and ends the process with every problem on standard error when they are wrong. */
export function configOrExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(78); // EX_CONFIG, sysexits.h
  }
}
