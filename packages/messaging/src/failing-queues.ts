import type { Logger } from '@sigcast/runtime';
import type { Telling } from './telling.ts';

/** How long a queue may fail before anybody is told: a cluster elects a new leader within this time. */
const toleratedMs = 5_000;

/** A queue that nobody has used for this long may work again: nothing is known of it. */
const knownMs = 60_000;

/** When a queue began to fail, and when it was last found to. */
type Failure = { readonly sinceMs: number; readonly lastMs: number };

/**
 * The queues that give or take nothing although the broker is there, as those who use them find out. The service never
 * deletes nor declares anew what fails: an operator decides, who reads the log or the service's readiness.
 */
export class FailingQueues {
  readonly #failures = new Map<string, Failure>();
  readonly #log: Logger;
  readonly #telling: Telling;

  constructor(log: Logger, telling: Telling) {
    this.#log = log;
    this.#telling = telling;
  }

  /** Somebody could not consume from a queue, or not publish to a queue or exchange. */
  failed(name: string, err: unknown): void {
    const lastMs = performance.now();
    const known = this.#failures.get(name);
    const failure = { sinceMs: known && isKnown(known) ? known.sinceMs : lastMs, lastMs };
    this.#failures.set(name, failure);
    if (isOver(failure) && this.#telling.isDue(`failing: ${name}`)) {
      this.#log.error({ err, queue: name }, 'broker: a queue gives or takes nothing');
    }
  }

  /** Somebody used it. */
  worked(name: string): void {
    this.#failures.delete(name);
  }

  /** Those that have failed for longer than the broker may take to recover by itself. */
  get names(): readonly string[] {
    return [...this.#failures]
      .filter(([, failure]) => isKnown(failure) && isOver(failure))
      .map(([name]) => name);
  }
}

function isOver({ sinceMs }: Failure): boolean {
  return performance.now() - sinceMs >= toleratedMs;
}

function isKnown({ lastMs }: Failure): boolean {
  return performance.now() - lastMs < knownMs;
}
