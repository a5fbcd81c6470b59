import { ConfigError } from './config.ts';
import type { Logger } from './log.ts';

/** What a service acquires goes here; it is released in reverse order. */
export type Resources = AsyncDisposableStack;

/** Time a service has to finish what it began; a hung release must not keep a stopping system waiting. */
const defaultShutdownTimeoutMs = 8_000;

/**
 * Runs a service until SIGTERM or SIGINT, then releases what it acquired. Exits with 1 when it can't start
 * or when something nobody handled goes wrong: an unknown state is left, never lived with.
 */
export async function runService(
  log: Logger,
  start: (resources: Resources) => Promise<void>,
  { shutdownTimeoutMs = defaultShutdownTimeoutMs }: { readonly shutdownTimeoutMs?: number } = {},
): Promise<void> {
  const resources = new AsyncDisposableStack();
  let stopping = false;
  const stop = async (reason: string, exitCode: number, error?: unknown) => {
    if (stopping) return;
    stopping = true;
    if (error === undefined) log.info({ reason }, 'stopping');
    else log.fatal({ err: error }, reason);
    const deadline = setTimeout(() => {
      log.error({ timeoutMs: shutdownTimeoutMs }, 'stopping took too long');
      process.exit(1);
    }, shutdownTimeoutMs);
    try {
      await resources.disposeAsync();
    } catch (err) {
      log.error({ err }, 'stopping went wrong');
      exitCode = 1;
    }
    clearTimeout(deadline);
    process.exit(exitCode);
  };
  process.on('SIGTERM', () => void stop('SIGTERM', 0));
  process.on('SIGINT', () => void stop('SIGINT', 0));
  process.on('uncaughtException', (err) => void stop('uncaught exception', 1, err));
  process.on('unhandledRejection', (err) => void stop('unhandled rejection', 1, err));
  try {
    await start(resources);
  } catch (error) {
    await stop("can't start", 1, error);
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
