import type { PendingDelivery } from './attempting.ts';
import { type ConcurrencyBounds, ConcurrencyLimit } from './concurrency-limit.ts';

/** A subscription as its worker sees it: what is due, what is under way, and how much its endpoint takes. */
export class Lane {
  readonly id: string;
  readonly limit: ConcurrencyLimit;
  /** Attempts under way, claims included. */
  inFlight = 0;
  /** Whether this worker has taken it from the store, where it is hidden until `dueAt`. */
  taken = false;
  dueAt = new Date(0);
  /** Something may have become due since the last look. */
  stale = false;
  /** Since when its subscription is disabled: then only what was asked for after that, by hand, is sent. */
  disabledAt: Date | undefined;
  #ready: PendingDelivery[] = [];
  #more = false;
  #looking = false;

  constructor(id: string, bounds: ConcurrencyBounds) {
    this.id = id;
    this.limit = new ConcurrencyLimit(bounds);
  }

  /** The next delivery to claim, if one is looked up. */
  next(): PendingDelivery | undefined {
    return this.#ready.shift();
  }

  /** Since when the first that waits has been due, in Unix milliseconds. */
  get oldestDueAt(): number | undefined {
    return this.#ready[0]?.dueAt.getTime();
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /** Whether deliveries wait that come before a new one. */
  get hasBacklog(): boolean {
    return this.taken && (this.hasReady || this.#more);
  }

  /** Whether the store may know of more that is due. What is under way is waited for: it may come due again. */
  get needsLook(): boolean {
    return (
      this.taken && !this.#looking && !this.hasReady && (this.stale || this.#more || this.inFlight === 0)
    );
  }

  /** Whether nothing is due and nothing under way. */
  get drained(): boolean {
    return this.taken && !this.hasReady && !this.#more && !this.stale && this.inFlight === 0;
  }

  beginLook(): void {
    this.#looking = true;
    this.stale = false;
  }

  /** `complete`: there is nothing else that is due. */
  endLook(due: readonly PendingDelivery[], complete: boolean): void {
    this.#looking = false;
    if (!this.taken) return;
    this.#ready = [...due];
    this.#more = !complete;
  }

  /** The subscription turned out to be disabled: what is looked up waits for its return. */
  hold(since: Date): void {
    this.disabledAt = since;
    this.#ready = [];
    this.stale = true;
  }

  /** Others may take it: nothing of it is begun here any more. */
  drop(): void {
    this.taken = false;
    this.stale = false;
    this.#ready = [];
    this.#more = false;
    this.#looking = false;
    this.disabledAt = undefined;
  }
}
