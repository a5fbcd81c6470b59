import type { AttemptResult, AttemptStore, Claimed } from './attempting.ts';
import { nextStep } from './delivery.ts';
import { pickSlice, type WaitingQueue } from './retry-schedule.ts';

export type DispatcherDeps = {
  readonly store: AttemptStore;
  readonly send: (claimed: Claimed) => Promise<AttemptResult>;
  /** Waiting queues by retry step. */
  readonly schedule: readonly (readonly WaitingQueue[])[];
  /** Puts a pointer into a waiting queue. May fail: the sweeper then finds the delivery. */
  readonly wait: (deliveryId: string, queue: WaitingQueue) => Promise<void>;
  /** Told of a delivery that has ended, once that is written. May fail: then the next one's end says the same. */
  readonly ended: (claimed: Claimed, status: 'delivered' | 'failed') => Promise<unknown>;
  readonly subscriptionOf: (deliveryId: string) => string;
  /** Attempts under way at once per subscription. */
  readonly maxInFlight: number;
  /** Attempts under way at once in all; a bound on memory. */
  readonly maxAttempts: number;
  readonly now: () => number;
  readonly random: () => number;
  /** Told of an attempt whose outcome could not be written or passed on; its lease runs out and it comes again. */
  readonly onProblem: (error: unknown, deliveryId: string) => void;
};

/**
 * Attempts deliveries, each subscription within slots of its own: a receiver that hangs holds up only itself. The
 * broker's message is done with as soon as the delivery is claimed, so that no message waits for a receiver.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #inFlight = new Map<string, number>();
  /** Subscriptions that had a delivery due but no slot free: a slot that gets free asks the store for more. */
  readonly #backlogged = new Set<string>();
  readonly #attempts = new Set<Promise<void>>();
  #stopping = false;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
  }

  /** Takes up a delivery if it is due and there is a slot; otherwise it stays due in the store. */
  async take(deliveryId: string): Promise<void> {
    const subscription = this.#deps.subscriptionOf(deliveryId);
    if (!this.#occupy(subscription)) {
      this.#backlogged.add(subscription);
      return;
    }
    let claimed: Claimed | undefined;
    try {
      claimed = await this.#deps.store.claim(deliveryId);
    } catch (error) {
      this.#free(subscription);
      throw error;
    }
    claimed ??= await this.#nextOrFree(subscription);
    if (!claimed) return;
    const work = this.#runSlot(subscription, claimed).finally(() => this.#attempts.delete(work));
    this.#attempts.add(work);
  }

  /** Takes up nothing more and resolves when every attempt under way has its outcome written. */
  async close(): Promise<void> {
    this.#stopping = true;
    await Promise.allSettled(this.#attempts);
  }

  #occupy(subscription: string): boolean {
    const used = this.#inFlight.get(subscription) ?? 0;
    if (this.#stopping || used >= this.#deps.maxInFlight || this.#attempts.size >= this.#deps.maxAttempts)
      return false;
    this.#inFlight.set(subscription, used + 1);
    return true;
  }

  #free(subscription: string): void {
    const used = this.#inFlight.get(subscription) ?? 0;
    if (used <= 1) this.#inFlight.delete(subscription);
    else this.#inFlight.set(subscription, used - 1);
  }

  /** Attempts one delivery, then the oldest due ones of the same subscription while it has a backlog. */
  async #runSlot(subscription: string, first: Claimed): Promise<void> {
    let claimed: Claimed | undefined = first;
    while (claimed) {
      await this.#attempt(claimed).catch((error: unknown) => {
        this.#deps.onProblem(error, first.delivery.id);
      });
      claimed = await this.#nextOrFree(subscription);
    }
  }

  /**
   * The subscription's oldest due delivery if it has a backlog; otherwise the slot is free again. The mark is taken
   * off before asking, a delivery refused a slot meanwhile puts it back and it is asked again; between the last look
   * at the mark and the slot's release nothing else runs, so no delivery is refused a slot and then forgotten.
   */
  async #nextOrFree(subscription: string): Promise<Claimed | undefined> {
    while (!this.#stopping && this.#backlogged.delete(subscription)) {
      try {
        const next = await this.#deps.store.claimNext(subscription);
        if (!next) continue;
        this.#backlogged.add(subscription);
        return next;
      } catch (error) {
        this.#deps.onProblem(error, subscription);
      }
    }
    this.#free(subscription);
    return undefined;
  }

  async #attempt(claimed: Claimed): Promise<void> {
    const { store, schedule, now, random } = this.#deps;
    const startedAt = now();
    const result = await this.#deps.send(claimed);
    const endedAt = now();
    const count = claimed.delivery.attemptCount + 1;
    const attempt = {
      number: count,
      started_at: new Date(startedAt).toISOString(),
      duration_ms: endedAt - startedAt,
      ...result,
    };
    const next = nextStep(result.outcome === 'succeeded', count, schedule.length, claimed.delivery.round);
    if (next.status !== 'pending') {
      const ended = await store.complete(claimed, { attempt, status: next.status, nextAttemptAt: null });
      if (ended) await this.#deps.ended(claimed, next.status);
      return;
    }
    const queue = pickSlice(schedule[next.step] ?? [], random);
    // The message enters its queue after this instant, so when it comes back the delivery is due.
    const nextAttemptAt = new Date(endedAt + queue.ttlMs);
    const written = await store.complete(claimed, { attempt, status: 'pending', nextAttemptAt });
    if (written) await this.#deps.wait(claimed.delivery.id, queue);
  }
}
