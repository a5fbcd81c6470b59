import { SigcastError } from '@sigcast/contracts';
import type { AttemptResult, AttemptStore, Claimed } from './attempting.ts';
import { nextStep, type Sent } from './delivery.ts';
import { pickSlice, type WaitingQueue } from './retry-schedule.ts';
import { Slots } from './slots.ts';

export type DispatcherDeps = {
  readonly store: AttemptStore;
  readonly send: (claimed: Claimed) => Promise<Sent<AttemptResult>>;
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
  /** Waits before try number `attempt` (from 1) at writing an outcome. */
  readonly pause: (attempt: number) => Promise<void>;
  /** Told of an attempt whose outcome could not be written or passed on; its lease runs out and it comes again. */
  readonly onProblem: (error: unknown, deliveryId: string) => void;
  /** Told of every attempt that came to an outcome. */
  readonly onAttempt: (
    claimed: Claimed,
    result: AttemptResult,
    span: readonly [startedAtMs: number, endedAtMs: number],
  ) => void;
};

/** An outcome is not written later than this before its lease runs out, in milliseconds. */
const leaseMarginMs = 1_000;

/** A delivery that must be sent alone waits this long when it can't be just now, in milliseconds. */
const busyPauseMs = 5_000;

/**
 * Attempts deliveries, each subscription within slots of its own: a receiver that hangs holds up only itself, and any
 * number of them leave room for the others (see {@link Slots}). The broker's message is done with as soon as the
 * delivery is claimed, so that no message waits for a receiver.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #slots: Slots;
  /** Subscriptions that had a delivery due but no slot free: a slot that gets free asks the store for more. */
  readonly #backlogged = new Set<string>();
  readonly #attempts = new Set<Promise<void>>();
  #stopping = false;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#slots = new Slots(deps);
  }

  /** Attempts under way. */
  get size(): number {
    return this.#slots.used;
  }

  /** Subscriptions with deliveries due that have no slot. */
  get backlogged(): number {
    return this.#backlogged.size;
  }

  /** Takes up a delivery if it is due and there is a slot; otherwise it stays due in the store. */
  async take(deliveryId: string): Promise<void> {
    const subscription = this.#deps.subscriptionOf(deliveryId);
    if (!this.tryReserve(subscription)) {
      this.#backlogged.add(subscription);
      this.#slots.waitInLine(subscription);
      return;
    }
    let claimed: Claimed | undefined;
    try {
      claimed = await this.#deps.store.claim(deliveryId);
    } catch (error) {
      this.free(subscription);
      throw error;
    }
    claimed ??= await this.#nextOrFree(subscription);
    if (claimed) this.start(claimed);
  }

  /** Takes a slot for a delivery that is about to be claimed; `start` or `free` follows. False: there is none. */
  tryReserve(subscription: string): boolean {
    return !this.#stopping && this.#slots.occupy(subscription);
  }

  /** Gives a slot back without an attempt; a delivery that was refused it meanwhile is looked for. */
  free(subscription: string): void {
    this.#slots.free(subscription);
    if (this.#backlogged.has(subscription)) this.#slots.waitInLine(subscription);
    this.#serveLines();
  }

  #serveLines(): void {
    if (this.#stopping) return;
    for (let next = this.#slots.occupyForNext(); next !== undefined; next = this.#slots.occupyForNext())
      this.#workOff(next);
  }

  /** Attempts a claimed delivery in the slot that was reserved for it. */
  start(claimed: Claimed): void {
    const work = this.#runSlot(claimed).finally(() => this.#attempts.delete(work));
    this.#attempts.add(work);
  }

  /** Takes up nothing more and resolves when every attempt under way has its outcome written. */
  async close(): Promise<void> {
    this.#stopping = true;
    while (this.#attempts.size > 0) await Promise.allSettled(this.#attempts);
  }

  /** Attempts one delivery, then the oldest due ones of the same subscription while it has a backlog and nobody waits. */
  async #runSlot(first: Claimed): Promise<void> {
    const { subscription } = first.delivery;
    let claimed: Claimed | undefined = first;
    while (claimed) {
      const { id } = claimed.delivery;
      await this.#attempt(claimed).catch((error: unknown) => this.#deps.onProblem(error, id));
      claimed = this.#gaveWay(subscription) ? undefined : await this.#nextOrFree(subscription);
    }
  }

  /** Leaves the slot to those who wait for one, and has a subscription with a backlog wait behind them. */
  #gaveWay(subscription: string): boolean {
    if (!this.#backlogged.has(subscription) || !this.#slots.giveWay(subscription)) return false;
    this.free(subscription);
    return true;
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
        // Slots that got free while the mark was off come back, one with each delivery found.
        this.#drain(subscription);
        return next;
      } catch (error) {
        this.#deps.onProblem(error, subscription);
        // There may be more; the delivery that the sweeper finds next looks for it. Not at once: the store is away.
        this.#backlogged.add(subscription);
        break;
      }
    }
    this.#slots.free(subscription);
    this.#serveLines();
    return undefined;
  }

  /** Puts one more slot to work on a subscription's backlog, if there is one free. */
  #drain(subscription: string): void {
    if (this.#stopping) return;
    if (this.#slots.occupy(subscription)) this.#workOff(subscription);
    else this.#slots.waitInLine(subscription);
  }

  /** Works off a subscription's backlog in a slot taken for it. */
  #workOff(subscription: string): void {
    const work = this.#nextOrFree(subscription)
      .then((claimed) => claimed && this.start(claimed))
      .finally(() => this.#attempts.delete(work));
    this.#attempts.add(work);
  }

  async #attempt(claimed: Claimed): Promise<void> {
    const { store, schedule, now, random } = this.#deps;
    const startedAt = now();
    const sent = await this.#deps.send(claimed);
    const endedAt = now();
    if (sent.kind === 'busy') {
      await store.release(claimed, new Date(endedAt + busyPauseMs));
      return;
    }
    this.#slots.note(claimed.delivery.subscription, endedAt - startedAt);
    const { kind, ...result } = sent;
    this.#deps.onAttempt(claimed, result, [startedAt, endedAt]);
    const count = claimed.delivery.attemptCount + 1;
    const attempt = {
      number: count,
      started_at: new Date(startedAt).toISOString(),
      duration_ms: endedAt - startedAt,
      ...result,
    };
    if (kind === 'crashed') {
      await this.#settle(claimed, () => store.quarantine(claimed, attempt));
      return;
    }
    const next = nextStep(result.outcome === 'succeeded', count, schedule.length, claimed.delivery.round);
    if (next.status !== 'pending') {
      const ended = await this.#settle(claimed, () =>
        store.complete(claimed, { attempt, status: next.status, nextAttemptAt: null }),
      );
      if (ended) await this.#deps.ended(claimed, next.status);
      return;
    }
    const queue = pickSlice(schedule[next.step] ?? [], random);
    // The message enters its queue after this instant, so when it comes back the delivery is due.
    const nextAttemptAt = new Date(endedAt + queue.ttlMs);
    const written = await this.#settle(claimed, () =>
      store.complete(claimed, { attempt, status: 'pending', nextAttemptAt }),
    );
    if (written) await this.#deps.wait(claimed.delivery.id, queue);
  }

  /**
   * Writes an outcome, again and again while the store is away and the lease lasts: an outcome that is lost costs the
   * receiver a repetition.
   */
  async #settle<T>(claimed: Claimed, write: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write();
      } catch (error) {
        const passing = error instanceof SigcastError && error.retryable;
        if (!passing || this.#deps.now() > claimed.lease.until.getTime() - leaseMarginMs) throw error;
        await this.#deps.pause(attempt);
      }
    }
  }
}
