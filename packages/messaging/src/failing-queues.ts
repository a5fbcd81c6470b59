import type { Logger, LogThrottle } from '@sigcast/runtime';

/** How long a queue may fail before it is reported, in milliseconds: a cluster elects a new leader within this time. */
const toleratedMs = 5_000;

/** A failure is forgotten when the queue was not used for this long, in milliseconds: it may work again. */
const forgetAfterMs = 60_000;

/** When a queue began to fail, and when it failed last. */
type Failure = { readonly sinceMs: number; readonly lastMs: number };

/**
 * The queues and exchanges that fail although the broker is connected, as their publishers and consumers report. The service
 * does not repair a failing queue. An operator decides, who reads of it in the log or the service's readiness.
 */
export class FailingQueues {
  readonly #failures = new Map<string, Failure>();
  readonly #log: Logger;
  readonly #logThrottle: LogThrottle;

  constructor(log: Logger, logThrottle: LogThrottle) {
    this.#log = log;
    this.#logThrottle = logThrottle;
  }

  /** Reports that consuming from a queue, or publishing to a queue or exchange, has failed. */
  failed(name: string, err: unknown): void {
    const lastMs = performance.now();
    const known = this.#failures.get(name);
    const failure = { sinceMs: known && isRecent(known) ? known.sinceMs : lastMs, lastMs };
    this.#failures.set(name, failure);
    if (isLasting(failure) && this.#logThrottle.isDue(`failing: ${name}`)) {
      this.#log.error({ err, queue: name }, 'broker: a queue gives or takes nothing');
    }
  }

  /** Reports that it worked. */
  worked(name: string): void {
    this.#failures.delete(name);
  }

  /** The queues and exchanges that have failed for longer than a broker needs to recover by itself. */
  get names(): readonly string[] {
    return [...this.#failures]
      .filter(([, failure]) => isRecent(failure) && isLasting(failure))
      .map(([name]) => name);
  }
}

function isLasting({ sinceMs }: Failure): boolean {
  return performance.now() - sinceMs >= toleratedMs;
}

function isRecent({ lastMs }: Failure): boolean {
  return performance.now() - lastMs < forgetAfterMs;
}
