import type { PendingSignal, WaitingSignal } from '../domain/ports.ts';
import type { InFlight } from './in-flight.ts';

/**
 * Signals of one batch. Their events are published in parallel and removed from the outbox by one write. For more than
 * some 100 values in one `$in` the development engine's planner reads the whole index.
 */
const batchSignals = 100;

/** The queue takes no more signals than this, so that memory stays bounded. The sweep finds the others. */
const maxWaiting = 4_000;

/** With fewer signals than this the queue has room for many more. */
const fewWaiting = maxWaiting / 4;

/** Signals to relay. */
export type Batch = {
  readonly ids: readonly string[];
  /** Those whose events are known. */
  readonly pending: readonly PendingSignal[];
  /** The ids of the others: their events have to be read. */
  readonly unread: readonly string[];
};

/** The signals whose events of one priority wait for one loop of the relay. */
export class RelayQueue {
  readonly #inFlight: InFlight;
  /** By id; undefined where the events have to be read. */
  readonly #waiting = new Map<string, PendingSignal | undefined>();
  #recheck = () => {};
  #roomWaiters: (() => void)[] = [];

  constructor(inFlight: InFlight) {
    this.#inFlight = inFlight;
  }

  add({ id, pending }: WaitingSignal): void {
    // A signal added twice may have more events than either caller knows.
    if (this.#waiting.has(id)) this.#waiting.set(id, undefined);
    else if (this.#waiting.size < maxWaiting) this.#waiting.set(id, pending);
  }

  has(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** @returns whether the signal was there. */
  remove(id: string): boolean {
    return this.#waiting.delete(id);
  }

  /** Leaves all signals to the sweep. */
  clear(): void {
    this.#waiting.clear();
  }

  /** Removes some signals that are not in flight, and makes them in flight; undefined when there are none. */
  takeBatch(): Batch | undefined {
    const taken: [id: string, pending: PendingSignal | undefined][] = [];
    for (const [id, pending] of this.#waiting) {
      if (this.#inFlight.has(id)) continue;
      this.#waiting.delete(id);
      if (taken.push([id, pending]) === batchSignals) break;
    }
    if (taken.length === 0) return undefined;
    const ids = taken.map(([id]) => id);
    this.#inFlight.add(ids);
    return {
      ids,
      pending: taken.flatMap(([, pending]) => pending ?? []),
      unread: taken.flatMap(([id, pending]) => (pending ? [] : [id])),
    };
  }

  /** Forgets the known events of these signals, because somebody else is about to publish some of the events. */
  forgetEvents(ids: readonly string[]): void {
    for (const id of ids) if (this.#waiting.has(id)) this.#waiting.set(id, undefined);
  }

  /** Resolves when a batch can be taken, when the relay is stopping, or when nothing of `leftMs` is left. */
  async waitForBatch(leftMs: () => number, isStopping: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let timer: NodeJS.Timeout | undefined;
    this.#recheck = () => {
      clearTimeout(timer);
      const ms = leftMs();
      if (isStopping() || this.#hasBatch()) resolve();
      else if (ms < Number.POSITIVE_INFINITY) timer = setTimeout(resolve, Math.max(0, ms));
    };
    this.#recheck();
    await promise;
    this.#recheck = () => {};
    clearTimeout(timer);
  }

  /** Makes {@link waitForBatch} check its condition again. */
  recheck(): void {
    this.#recheck();
  }

  /** Resolves when few signals wait, or when waiting for that is no use. */
  async hasRoom(): Promise<void> {
    if (this.#waiting.size < fewWaiting) return;
    await new Promise<void>((resolve) => {
      this.#roomWaiters.push(resolve);
    });
  }

  /** Resolves the calls of {@link hasRoom} when few signals wait; with `always`, in any case. */
  notifyRoom(always = false): void {
    if (this.#waiting.size >= fewWaiting && !always) return;
    for (const notify of this.#roomWaiters) notify();
    this.#roomWaiters = [];
  }

  #hasBatch(): boolean {
    for (const id of this.#waiting.keys()) if (!this.#inFlight.has(id)) return true;
    return false;
  }
}
