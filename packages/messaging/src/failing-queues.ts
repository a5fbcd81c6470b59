import type { Logger } from '@sigcast/runtime';
import type { Telling } from './telling.ts';

/** How long a queue may fail before anybody is told: a cluster elects a new leader within this time. */
const toleratedMs = 5_000;

/**
 * The queues that give or take nothing although the broker is there, as those who use them find out. The service never
 * deletes nor declares anew what fails: an operator decides, who reads the log or the service's readiness.
 */
export class FailingQueues {
  readonly #sinceMs = new Map<string, number>();
  readonly #log: Logger;
  readonly #telling: Telling;

  constructor(log: Logger, telling: Telling) {
    this.#log = log;
    this.#telling = telling;
  }

  /** Somebody could not consume from a queue, or not publish to a queue or exchange. */
  failed(name: string, err: unknown): void {
    const sinceMs = this.#sinceMs.get(name) ?? performance.now();
    this.#sinceMs.set(name, sinceMs);
    if (this.#isOver(sinceMs) && this.#telling.isDue(`failing: ${name}`)) {
      this.#log.error({ err, queue: name }, 'broker: a queue gives or takes nothing');
    }
  }

  /** Somebody used it. */
  worked(name: string): void {
    this.#sinceMs.delete(name);
  }

  /** Those that have failed for longer than the broker may take to recover by itself. */
  get names(): readonly string[] {
    return [...this.#sinceMs].filter(([, sinceMs]) => this.#isOver(sinceMs)).map(([name]) => name);
  }

  #isOver(sinceMs: number): boolean {
    return performance.now() - sinceMs >= toleratedMs;
  }
}
