import type { PendingSignal } from '../domain/ports.ts';

/**
 * Signals of one batch. Their events are published in parallel and removed from the outbox by one write. For more than
 * some 100 values in one `$in` the development engine's planner reads the whole index.
 */
const batchSignals = 100;

/** The queue takes no more events than this, so that memory stays bounded. The sweep finds the others. */
const maxWaiting = 4_000;

/** With fewer events than this the queue has room for many more. */
const fewWaiting = maxWaiting / 4;

/** The signals whose events of one priority wait for one loop of the relay, with all their events. */
export class RelayQueue {
  readonly #waiting = new Map<string, PendingSignal>();
  #events = 0;
  /** Ends when the last batch has left its outboxes. */
  removing: Promise<void> = Promise.resolve();

  add(signal: PendingSignal): void {
    const known = this.#waiting.get(signal.id);
    if (known && known.rev >= signal.rev) return;
    this.remove(signal.id);
    if (this.#events >= maxWaiting) return;
    this.#waiting.set(signal.id, signal);
    this.#events += signal.events.length;
  }

  remove(id: string): void {
    this.#events -= this.#waiting.get(id)?.events.length ?? 0;
    this.#waiting.delete(id);
  }

  /** Leaves all signals to the sweep. */
  clear(): void {
    this.#waiting.clear();
    this.#events = 0;
  }

  get hasRoom(): boolean {
    return this.#events < fewWaiting;
  }

  /** Removes and returns some signals that are not in flight, without events that were published meanwhile. */
  takeBatch(inFlight: ReadonlySet<string>, published: ReadonlySet<string>): readonly PendingSignal[] {
    const batch: PendingSignal[] = [];
    for (const signal of this.#waiting.values()) {
      if (inFlight.has(signal.id)) continue;
      this.remove(signal.id);
      const events = signal.events.filter(({ id }) => !published.has(id));
      if (events.length > 0 && batch.push({ ...signal, events }) === batchSignals) break;
    }
    return batch;
  }
}
