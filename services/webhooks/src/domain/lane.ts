import type { Address, PendingDelivery } from './attempting.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import type { Blocked } from './ordered-look.ts';

/** From a look that found an ordered lane blocked to the next one, unless the feed gets there before. */
export const blockedLookMs = 1_000;

/** A subscription as its worker sees it: what is due, what is under way, and how much its endpoint takes. */
export class Lane {
  readonly id: string;
  readonly account: string;
  /** Attempts under way, claims included. */
  inFlight = 0;
  /** Whether this worker has taken it from the store, where it is hidden until `dueAt`. */
  taken = false;
  dueAt = new Date(0);
  /** Something may have become due since the last look. */
  stale = false;
  /** Its next time is being written: who marks it now has to do so in the store. */
  settling = false;
  /** When an attempt last began or ended. */
  usedAtMs = 0;
  /** Since when its subscription is disabled: then only what was asked for after that, by hand, is sent. */
  disabledAt: Date | undefined;
  readonly #max: number;
  #url: string;
  #host: string;
  #limit: ConcurrencyLimit;
  #blocked: { readonly by: Blocked; readonly sinceMs: number; readonly nextMs: number } | undefined;
  #ordered: boolean;
  #ready: PendingDelivery[] = [];
  #more = false;
  #look = 0;
  #looking = false;

  /** `max`: the most attempts at once. */
  constructor(id: string, { account, url, proven, ordered }: Address, max: number) {
    this.id = id;
    this.account = account;
    this.#ordered = ordered;
    this.#max = max;
    this.#url = url;
    this.#host = hostOf(url);
    this.#limit = new ConcurrencyLimit({ max, proven });
  }

  /** How much its endpoint takes. */
  get limit(): ConcurrencyLimit {
    return this.#limit;
  }

  get url(): string {
    return this.#url;
  }

  /** What it shares with the account's other lanes at the same host. */
  get hostKey(): string {
    return `${this.account} ${this.#host}`;
  }

  /**
   * Takes note of the address as it was read from the store. What is known of an endpoint says nothing about another
   * address. `now`: it was read just now; otherwise what this worker proved itself since may be missing.
   */
  aim({ url, proven }: Pick<Address, 'url' | 'proven'>, { now } = { now: false }): void {
    if (url === this.#url) {
      if (proven) this.#limit.prove();
      if (proven || !now || !this.#limit.proven) return;
    }
    this.#url = url;
    this.#host = hostOf(url);
    this.#limit = new ConcurrencyLimit({ max: this.#max, proven });
  }

  /** Whether its deliveries are made one at a time, in the feed's order. */
  get ordered(): boolean {
    return this.#ordered;
  }

  /** Takes note of what its subscription says of the order. What was looked up in another one does not count. */
  setOrdered(ordered: boolean): void {
    if (ordered === this.#ordered) return;
    this.#ordered = ordered;
    this.#forgetLook();
  }

  /** Something may be due that the last look did not see; of an ordered lane, before what it saw. */
  lookAgain(): void {
    this.stale = true;
    if (this.#ordered) this.#ready = [];
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

  /** Why what is due can't begin yet, where nobody will tell when it can. */
  get blocked(): Blocked | undefined {
    return this.#blocked?.by;
  }

  /** Takes note of what a look found. `next`: when something else comes due. */
  block(by: Blocked | undefined, nowMs: number, next: Date | undefined): void {
    this.#blocked = by && { by, sinceMs: nowMs, nextMs: next?.getTime() ?? Number.POSITIVE_INFINITY };
  }

  /**
   * Whether it may be looked at again: all deliveries are made up to the one before the place it waits for, or a second
   * has passed and a look may find something.
   */
  unblock(madeUpTo: number, nowMs: number): boolean {
    if (!this.#blocked) return false;
    const { by, sinceMs, nextMs } = this.#blocked;
    const reached = by !== 'attempted' && by.place <= madeUpTo + 1;
    const worth = by === 'attempted' || this.stale || nowMs >= nextMs;
    const again = worth && nowMs - sinceMs >= blockedLookMs;
    if (!reached && !again) return false;
    this.#blocked = undefined;
    this.stale = true;
    return true;
  }

  /** Whether the store may know of more that is due. What is under way is waited for: it may come due again. */
  get needsLook(): boolean {
    return (
      this.taken &&
      !this.#looking &&
      !this.#blocked &&
      !this.hasReady &&
      (this.stale || this.#more || this.inFlight === 0)
    );
  }

  /** Whether nothing is due and nothing under way. */
  get drained(): boolean {
    return (
      this.taken && !this.hasReady && !this.#more && !this.stale && !this.#blocked && this.inFlight === 0
    );
  }

  /** @returns the number of the look, for its end. */
  beginLook(): number {
    this.#looking = true;
    this.stale = false;
    this.#look += 1;
    return this.#look;
  }

  /** `complete`: there is nothing else that is due. False: the lane was given up meanwhile. */
  endLook(look: number, due: readonly PendingDelivery[], complete: boolean): boolean {
    if (look !== this.#look || !this.taken) return false;
    this.#looking = false;
    this.#ready = [...due];
    this.#more = !complete;
    return true;
  }

  /** The store did not answer: it is looked at again. */
  failLook(look: number): void {
    if (look !== this.#look || !this.taken) return;
    this.#looking = false;
    this.stale = true;
  }

  /** Others may take it: nothing of it is begun here any more. */
  drop(): void {
    this.taken = false;
    this.stale = false;
    this.disabledAt = undefined;
    this.#forgetLook();
  }

  #forgetLook(): void {
    this.#blocked = undefined;
    this.#ready = [];
    this.#more = false;
    this.#look += 1;
    this.#looking = false;
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
