import type { Address, BatchTerms, PendingDelivery } from './attempt-ports.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import type { Blocked, LaneQueryResult } from './ordered-lane-query.ts';

/** A lane's worker sets its due time in the store this far ahead, in milliseconds: then another worker finds the lane of a dead one. */
export const holdMs = 15_000;
/** The most due deliveries that one query of a lane reads, and that a lane lists. */
export const maxReady = 100;
/** Of the deliveries that a lane lists, so many are held whole, as they were made: the others are read when they are claimed. */
const maxWhole = 50;
/** A blocked lane is queried again after this time, or earlier when the fan-out watermark reaches it. */
export const blockedQueryMs = 1_000;

/** A subscription in its worker: which deliveries are due, how many attempts are under way, and how many its endpoint takes. */
export class Lane {
  readonly id: string;
  readonly account: string;
  /** Attempts under way, including claims that are being written. */
  inFlight = 0;
  /** Whether this worker works on the lane. */
  active = false;
  /** The due time that this worker last wrote to the store, {@link holdMs} ahead. */
  storedDueAt = new Date(0);
  /** Whether something may have become due since the last query. */
  stale = false;
  /** When an attempt last began or ended. */
  usedAtMs = 0;
  /** Since when its subscription is disabled. Then only attempts requested by hand since that instant are made. */
  disabledAt: Date | undefined;
  readonly #max: number;
  #url: string;
  #host: string;
  #limit: ConcurrencyLimit;
  #blocked: { readonly by: Blocked; readonly sinceMs: number } | undefined;
  #ordered: boolean;
  #batch: BatchTerms | undefined;
  #ready: PendingDelivery[] = [];
  /** New deliveries since the last query. */
  #added = 0;
  /** Whether the lane was queried for more events of the next batch. */
  #completed = false;
  #more = false;
  #nextDueMs = Number.POSITIVE_INFINITY;
  #queryNumber = 0;
  #querying = false;

  /** `max`: the most attempts at once, however well the endpoint answers. */
  constructor(id: string, { account, url, proven, ordered, batch }: Address, max: number) {
    this.id = id;
    this.account = account;
    this.#ordered = ordered;
    this.#batch = batch;
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

  /** How its events are put together; undefined where each has a request of its own. */
  get batch(): BatchTerms | undefined {
    return this.#batch;
  }

  /** Sets the order of its deliveries, and how they are put together. Query results in another order are discarded. */
  setOrder({ ordered, batch }: Pick<Address, 'ordered' | 'batch'>): void {
    this.#batch = batch;
    if (ordered === this.#ordered) return;
    this.#ordered = ordered;
    this.#discardQuery();
  }

  /** Notes that the last query may lack a due delivery. An ordered lane drops the query's results, which may come later. */
  invalidate(): void {
    this.stale = true;
    if (this.#ordered) this.#ready = [];
  }

  /** Adds a new delivery behind those that are listed. A lane whose list lacks due deliveries, or whose order is the feed's, is queried. */
  add(delivery: PendingDelivery): void {
    this.#added += 1;
    const listed = this.#ready.length;
    const listsAllDue = !this.#lacksDue && !this.#querying && listed < maxReady;
    if (listsAllDue && !this.#ordered)
      this.#ready.push(listed < maxWhole ? delivery : { ...delivery, made: undefined });
    else this.stale = true;
  }

  /** Notes that a delivery is due at an instant, in Unix milliseconds. */
  noteDue(atMs: number): void {
    this.#nextDueMs = Math.min(this.#nextDueMs, atMs);
  }

  /** When the next delivery that is not due yet is due, in Unix milliseconds; infinity where none is known. */
  get nextDueMs(): number {
    return this.#nextDueMs;
  }

  /** Takes the next delivery to claim from the last query's results, with those that are sent together with it. */
  next(): readonly PendingDelivery[] {
    const first = this.#ready.shift();
    if (first === undefined) return [];
    this.#completed = false;
    const kept = this.#batch && first.batch;
    if (kept !== undefined) this.#ready = this.#ready.filter(({ id }) => !kept.deliveries.includes(id));
    if (!this.#gathersBehind(first)) return [first];
    const end = this.#ready.findIndex((one) => !this.#gathersBehind(one));
    const most = this.#most - 1;
    return [first, ...this.#ready.splice(0, end < 0 ? most : Math.min(end, most))];
  }

  /**
   * Whether the next batch waits for more events. If there are some that are not listed when the wait has ended, the lane is queried
   * once more.
   */
  gathers(nowMs: number): boolean {
    const [first] = this.#ready;
    if (!this.#batch || first === undefined || !this.#gathersBehind(first)) return false;
    if (this.#ready.length >= this.#most || this.#more || this.#completed) return false;
    const isFull = this.#ready.length + this.#added >= this.#most;
    if (!isFull && nowMs < first.dueAt.getTime() + this.#batch.waitMs) return true;
    if (this.#added === 0 || this.#blocked) return false;
    this.#completed = true;
    this.invalidate();
    return false;
  }

  get #most(): number {
    return this.#batch?.max ?? 1;
  }

  /** Whether a delivery may have others of its feed behind it in one request. */
  #gathersBehind({ sequence = 0, batch }: PendingDelivery): boolean {
    return this.#batch !== undefined && !this.disabledAt && sequence > 0 && batch === undefined;
  }

  /** Since when the next delivery to claim has been due, in Unix milliseconds. */
  get oldestDueAt(): number | undefined {
    return this.#ready[0]?.dueAt.getTime();
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /** Why its next delivery may not begin, where no time is known at which it may. */
  get blocked(): Blocked | undefined {
    return this.#blocked?.by;
  }

  /**
   * Unblocks the lane, and returns true, when a query may find something: the fan-out watermark has reached the event that it
   * waits for, or {@link blockedQueryMs} have passed and something may have changed.
   */
  unblock(watermark: number, nowMs: number): boolean {
    if (!this.#blocked) return false;
    const { by, sinceMs } = this.#blocked;
    const reached = by !== 'attempted' && by.sequence <= watermark + 1;
    const mayHaveChanged = by === 'attempted' || this.stale;
    if (!reached && !(mayHaveChanged && nowMs - sinceMs >= blockedQueryMs)) return false;
    this.#blocked = undefined;
    this.stale = true;
    return true;
  }

  /** Whether the store may have something due that is not listed here. */
  get needsQuery(): boolean {
    const mayQuery = this.active && !this.#querying && !this.#blocked;
    return mayQuery && !this.hasReady && this.#lacksDue;
  }

  /** Whether nothing is due and no attempt is under way. */
  get drained(): boolean {
    const isQuiet = this.inFlight === 0 && !this.#querying && !this.#blocked;
    const hasNothing = !this.hasReady && !this.#lacksDue;
    return this.active && isQuiet && hasNothing;
  }

  get #lacksDue(): boolean {
    return this.stale || this.#more;
  }

  /** Makes the lane stale where a delivery has become due that was not at its last query. @returns whether the lane is stale. */
  wake(nowMs: number): boolean {
    if (nowMs >= this.#nextDueMs) {
      this.#nextDueMs = Number.POSITIVE_INFINITY;
      this.stale = true;
    }
    return this.stale;
  }

  /** @returns the number of the query, for {@link endQuery} or {@link failQuery}. */
  beginQuery(): number {
    this.#querying = true;
    this.stale = false;
    this.#added = 0;
    this.#nextDueMs = Number.POSITIVE_INFINITY;
    this.#queryNumber += 1;
    return this.#queryNumber;
  }

  /** Takes the results. Returns false when the lane was dropped meanwhile. */
  endQuery(query: number, { due, next, complete, blocked }: LaneQueryResult, nowMs: number): boolean {
    if (query !== this.#queryNumber || !this.active) return false;
    this.#querying = false;
    this.#ready = [...due];
    this.#more = !complete;
    this.noteDue(next?.getTime() ?? Number.POSITIVE_INFINITY);
    this.#blocked = blocked && { by: blocked, sinceMs: nowMs };
    return true;
  }

  /** The store did not answer: the lane is queried again. */
  failQuery(query: number): void {
    if (query !== this.#queryNumber || !this.active) return;
    this.#querying = false;
    this.stale = true;
  }

  /** Begins or goes on to work on the lane, whose due time in the store is now `storedDueAt` or earlier. */
  activate(storedDueAt: Date): void {
    this.active = true;
    this.storedDueAt = storedDueAt;
  }

  /** Ends the work on the lane: nothing more of it is begun here. */
  deactivate(): void {
    this.active = false;
    this.stale = false;
    this.disabledAt = undefined;
    this.#discardQuery();
  }

  #discardQuery(): void {
    this.#blocked = undefined;
    this.#ready = [];
    this.#more = false;
    this.#nextDueMs = Number.POSITIVE_INFINITY;
    this.#queryNumber += 1;
    this.#querying = false;
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
