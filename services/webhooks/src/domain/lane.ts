import type { Address, PendingDelivery } from './attempt-ports.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import type { Blocked } from './ordered-lane-query.ts';

/** A blocked lane is queried again after this time, or earlier when the fan-out watermark reaches it. */
export const blockedQueryMs = 1_000;

/** A subscription in its worker: which deliveries are due, how many attempts are under way, and how many its endpoint takes. */
export class Lane {
  readonly id: string;
  readonly account: string;
  /** Attempts under way, including claims that are being written. */
  inFlight = 0;
  /** Whether this worker has leased the lane from the store. */
  leased = false;
  /** The due time that this worker last wrote to the store. While the lane is leased, other workers leave it alone until then. */
  storedDueAt = new Date(0);
  /** Whether something may have become due since the last query. */
  stale = false;
  /** Whether the release of its lease is being written: a mark must be written to the store meanwhile. */
  releasing = false;
  /** When an attempt last began or ended. */
  usedAtMs = 0;
  /** Since when its subscription is disabled. Then only attempts requested by hand since that instant are made. */
  disabledAt: Date | undefined;
  readonly #max: number;
  #url: string;
  #host: string;
  #limit: ConcurrencyLimit;
  #blocked: { readonly by: Blocked; readonly sinceMs: number; readonly nextMs: number } | undefined;
  #ordered: boolean;
  #ready: PendingDelivery[] = [];
  #more = false;
  #queryNumber = 0;
  #querying = false;

  /** `max`: the most attempts at once, however well the endpoint answers. */
  constructor(id: string, { account, url, proven, ordered }: Address, max: number) {
    this.id = id;
    this.account = account;
    this.#ordered = ordered;
    this.#max = max;
    this.#url = url;
    this.#host = hostOf(url);
    this.#limit = new ConcurrencyLimit({ max, proven });
  }

  /** How many attempts at once its endpoint takes. */
  get limit(): ConcurrencyLimit {
    return this.#limit;
  }

  get url(): string {
    return this.#url;
  }

  /** The host of its address, with the port if it is not the usual one. */
  get host(): string {
    return this.#host;
  }

  /** The account and the host: lanes with the same key share the account's limit at the host. */
  get hostKey(): string {
    return `${this.account} ${this.#host}`;
  }

  /**
   * Sets the address that was read from the store. Another address gets a new limit. `current`: the address was read just
   * now. Otherwise this worker may have proven it since, and it stays proven.
   */
  setAddress({ url, proven }: Pick<Address, 'url' | 'proven'>, { current } = { current: false }): void {
    if (url === this.#url) {
      if (proven) this.#limit.markProven();
      if (proven || !current || !this.#limit.proven) return;
    }
    this.#url = url;
    this.#host = hostOf(url);
    this.#limit = new ConcurrencyLimit({ max: this.#max, proven });
  }

  /** Whether its deliveries are made one at a time, in the feed's order. */
  get ordered(): boolean {
    return this.#ordered;
  }

  /** Sets the order of its deliveries. Query results in another order are discarded. */
  setOrdered(ordered: boolean): void {
    if (ordered === this.#ordered) return;
    this.#ordered = ordered;
    this.#discardQuery();
  }

  /** Notes that the last query may lack a due delivery. An ordered lane drops the query's results, which may come later. */
  invalidate(): void {
    this.stale = true;
    if (this.#ordered) this.#ready = [];
  }

  /** Takes the next delivery to claim from the last query's results. */
  next(): PendingDelivery | undefined {
    return this.#ready.shift();
  }

  /** Since when the next delivery to claim has been due, in Unix milliseconds. */
  get oldestDueAt(): number | undefined {
    return this.#ready[0]?.dueAt.getTime();
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /** Whether due deliveries wait: a new delivery comes after them. */
  get hasBacklog(): boolean {
    return this.leased && (this.hasReady || this.#more);
  }

  /** Why its next delivery may not begin, where no time is known at which it may. */
  get blocked(): Blocked | undefined {
    return this.#blocked?.by;
  }

  /** Sets why the lane is blocked, as a query found. `next`: when something else is due. */
  block(by: Blocked | undefined, nowMs: number, next: Date | undefined): void {
    this.#blocked = by && { by, sinceMs: nowMs, nextMs: next?.getTime() ?? Number.POSITIVE_INFINITY };
  }

  /**
   * Unblocks the lane, and returns true, when a query may find something: the fan-out watermark has reached the event that it
   * waits for, or {@link blockedQueryMs} have passed and something may have changed.
   */
  unblock(watermark: number, nowMs: number): boolean {
    if (!this.#blocked) return false;
    const { by, sinceMs, nextMs } = this.#blocked;
    const reached = by !== 'attempted' && by.sequence <= watermark + 1;
    const mayHaveChanged = by === 'attempted' || this.stale || nowMs >= nextMs;
    if (!reached && !(mayHaveChanged && nowMs - sinceMs >= blockedQueryMs)) return false;
    this.#blocked = undefined;
    this.stale = true;
    return true;
  }

  /** Whether the store may have more that is due. While attempts are under way, a lane is queried only if it is stale or its last query was not complete. */
  get needsQuery(): boolean {
    return (
      this.leased &&
      !this.#querying &&
      !this.#blocked &&
      !this.hasReady &&
      (this.stale || this.#more || this.inFlight === 0)
    );
  }

  /** Whether nothing is due and no attempt is under way. */
  get drained(): boolean {
    return (
      this.leased && !this.hasReady && !this.#more && !this.stale && !this.#blocked && this.inFlight === 0
    );
  }

  /** @returns the number of the query, for {@link endQuery} or {@link failQuery}. */
  beginQuery(): number {
    this.#querying = true;
    this.stale = false;
    this.#queryNumber += 1;
    return this.#queryNumber;
  }

  /** Takes the results. `complete`: nothing else is due. Returns false when the lane was dropped meanwhile. */
  endQuery(query: number, due: readonly PendingDelivery[], complete: boolean): boolean {
    if (query !== this.#queryNumber || !this.leased) return false;
    this.#querying = false;
    this.#ready = [...due];
    this.#more = !complete;
    return true;
  }

  /** The store did not answer: the lane is queried again. */
  failQuery(query: number): void {
    if (query !== this.#queryNumber || !this.leased) return;
    this.#querying = false;
    this.stale = true;
  }

  /** Ends the lease in this worker: nothing more of the lane is begun here. */
  endLease(): void {
    this.leased = false;
    this.stale = false;
    this.disabledAt = undefined;
    this.#discardQuery();
  }

  #discardQuery(): void {
    this.#blocked = undefined;
    this.#ready = [];
    this.#more = false;
    this.#queryNumber += 1;
    this.#querying = false;
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
