import { pause } from './backoff.ts';
import { ConfigError, type ServerSettings } from './config.ts';
import type { Logger } from './log.ts';

/** The resources of a service. They are released in reverse order. */
export type Resources = AsyncDisposableStack;

/** How a service stops. */
export type Shutdown = {
  /** Aborts when the process is told to stop. Its resources are released after the delay. */
  readonly stopping: AbortSignal;
  /** How long releasing all resources may take, in milliseconds. */
  readonly timeoutMs: number;
};

/**
 * Runs a service until SIGTERM or SIGINT. Then the service goes on serving for the delay, and its resources are released; a
 * second signal ends the process at once. Exits with 1 when the service can't start, and after an unhandled error, because
 * the process may be in any state then.
 */
export async function runService(
  log: Logger,
  start: (resources: Resources, shutdown: Shutdown) => Promise<void>,
  {
    SHUTDOWN_DELAY_MS: delayMs,
    SHUTDOWN_TIMEOUT_MS: timeoutMs,
  }: Pick<ServerSettings, 'SHUTDOWN_DELAY_MS' | 'SHUTDOWN_TIMEOUT_MS'>,
): Promise<void> {
  const resources = new AsyncDisposableStack();
  const stopping = new AbortController();
  /** Ends the delay early. */
  const hurry = new AbortController();
  let exitCode = 0;
  let started = false;

  const stop = async () => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    await pause(delayMs, hurry.signal).catch(() => undefined);
    const deadline = setTimeout(() => {
      log.error({ timeoutMs }, 'stopping: releasing resources took too long, ending at once');
      process.exit(1);
    }, timeoutMs);
    try {
      await resources.disposeAsync();
    } catch (err) {
      log.error({ err }, 'stopping: releasing resources failed');
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
    // A service that does not serve yet needs no delay.
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
    // A service that is told to stop while it starts fails because its resources are released.
    if (!stopping.signal.aborted) onFatal("can't start", error);
  }
}

/** Reads settings. If they are wrong, prints every problem on standard error and exits with 78. */
export function configOrExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(78); // EX_CONFIG, sysexits.h
  }
}
