import type { PendingSignal, WaitingSignal } from '../domain/ports.ts';

/**
 * Signals relayed together: their events are published side by side and taken out in one write. For more than some
 * 100 values in one `$in` the development engine's planner reads the whole index. So it is the bound of what a lane
 * publishes at once, too.
 */
const batchSignals = 100;

/** Beyond this many the sweep finds them just as well, and memory stays bounded while the broker stalls. */
const maxWaiting = 4_000;

/** With fewer than these there is room for many more. */
const fewWaiting = maxWaiting / 4;

/** Signals to relay, and which of them are known by their id alone. */
export type Batch = {
  readonly ids: readonly string[];
  readonly known: readonly PendingSignal[];
  readonly unknown: readonly string[];
};

/** Signals that one lane or another is sending events of, or taking out what it has sent: nobody else touches them. */
export class InHand {
  readonly #ids = new Set<string>();
  readonly #onRelease: () => void;

  constructor(onRelease: () => void) {
    this.#onRelease = onRelease;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  take(ids: readonly string[]): void {
    for (const id of ids) this.#ids.add(id);
  }

  release(ids: readonly string[]): void {
    for (const id of ids) this.#ids.delete(id);
    this.#onRelease();
  }
}

/** The signals whose events of one priority wait to be relayed by one loop. */
export class Lane {
  readonly #inHand: InHand;
  /** By id; without what waits when that has to be read. */
  readonly #waiting = new Map<string, PendingSignal | undefined>();
  #recheck = () => {};
  #askers: (() => void)[] = [];

  constructor(inHand: InHand) {
    this.#inHand = inHand;
  }

  notify({ id, pending }: WaitingSignal): void {
    // Notified twice, there may be more than either knows.
    if (this.#waiting.has(id)) this.#waiting.set(id, undefined);
    else if (this.#waiting.size < maxWaiting) this.#waiting.set(id, pending);
  }

  /** Takes a signal out. @returns whether it was there. */
  remove(id: string): boolean {
    return this.#waiting.delete(id);
  }

  /** Takes some signals, which are in hand from then on; undefined when there is none that is not in hand. */
  take(): Batch | undefined {
    const taken: [id: string, pending: PendingSignal | undefined][] = [];
    for (const [id, pending] of this.#waiting) {
      if (this.#inHand.has(id)) continue;
      this.#waiting.delete(id);
      if (taken.push([id, pending]) === batchSignals) break;
    }
    if (taken.length === 0) return undefined;
    const ids = taken.map(([id]) => id);
    this.#inHand.take(ids);
    return {
      ids,
      known: taken.flatMap(([, pending]) => pending ?? []),
      unknown: taken.flatMap(([id, pending]) => (pending ? [] : [id])),
    };
  }

  has(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** Forgets which events of these signals wait, for somebody else is about to send some: it is read when they are taken. */
  doubt(ids: readonly string[]): void {
    for (const id of ids) if (this.#waiting.has(id)) this.#waiting.set(id, undefined);
  }

  /** Leaves all to the sweep. */
  clear(): void {
    this.#waiting.clear();
  }

  /** Resolves when rung and there is a signal to take, or after `ms`. */
  async idle(ms: number, isStopping: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = Number.isFinite(ms) ? setTimeout(resolve, Math.max(0, ms)) : undefined;
    this.#recheck = () => {
      if (isStopping() || this.#canTake()) resolve();
    };
    this.#recheck();
    await promise;
    clearTimeout(timer);
  }

  /** Looks again whether there is something to do. */
  recheck(): void {
    this.#recheck();
  }

  /** Resolves when little is left, or nothing can be relayed for now. */
  async hasRoom(): Promise<void> {
    if (this.#waiting.size < fewWaiting) return;
    await new Promise<void>((resolve) => {
      this.#askers.push(resolve);
    });
  }

  /** Tells those who wait for room that there is some, or, with `always`, that it is no use to wait. */
  tellRoom(always = false): void {
    if (this.#waiting.size >= fewWaiting && !always) return;
    for (const tell of this.#askers) tell();
    this.#askers = [];
  }

  #canTake(): boolean {
    for (const id of this.#waiting.keys()) if (!this.#inHand.has(id)) return true;
    return false;
  }
}
