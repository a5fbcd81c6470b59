import { putBounded } from './bounded-map.ts';
import type { Limits } from './plan.ts';
import { accountUsage, admits, charge, countNow, midnightAfter, type Usage, type Window } from './usage.ts';

/** A usage, and how far the clock by which it was counted is ahead of this process' clock. */
type Counting = { readonly usage: Usage; readonly aheadMs: number };

/** The last counts of one account, address or other name, in one flat object to save memory. Only an account has a day: for the others its fields are 0. */
type LastCounts = {
  readonly minuteUsed: number;
  readonly minuteEndsMs: number;
  readonly dayUsed: number;
  readonly dayEndsMs: number;
  readonly aheadMs: number;
};

/** A key's own limit of requests a minute, and the name under which they are counted. */
export type OwnLimit = { readonly name: string; readonly limit: number };

/** Which windows of an account: those that all its keys share, or those that all its sessions share. */
export type AccountWindows = 'keys' | 'sessions';

/** Entries of each kind in memory, at most. The entry that was counted longest ago is dropped first. */
export const maxLocalCounts = 100_000;

/**
 * Counts requests in this process while the shared counters are unavailable. An account's windows continue from the last
 * result of the shared counters. The process does not know what other gateways admit meanwhile.
 */
export class LocalCounters {
  readonly #accounts: Readonly<Record<AccountWindows, Map<string, LastCounts>>> = {
    keys: new Map(),
    sessions: new Map(),
  };
  readonly #named = new Map<string, LastCounts>();
  readonly #windowMs: number;
  readonly #clock: () => number;

  constructor(options: { windowMs: number; clock: () => number }) {
    this.#windowMs = options.windowMs;
    this.#clock = options.clock;
  }

  /** Stores the usage that the shared counters have just returned for an account, and for a key with a limit of its own. */
  note(whose: AccountWindows, account: string, usage: Usage, own?: OwnLimit): void {
    const aheadMs = usage.nowMs - this.#clock();
    this.#keep(this.#accounts[whose], account, { usage, aheadMs });
    this.#keepOwn(own, { usage, aheadMs });
  }

  /**
   * Counts one request, as `cost` requests, in both windows of an account and in that of a key with a limit of its own, or in
   * none when one is full.
   */
  admitAccount(
    whose: AccountWindows,
    account: string,
    limits: Limits,
    cost = 1,
    own?: OwnLimit,
  ): { admitted: boolean; usage: Usage } {
    const { at, aheadMs, known, minute } = this.#now(this.#accounts[whose].get(account));
    const stored = known && { used: known.dayUsed, endsMs: known.dayEndsMs };
    const day = countNow(stored, at.nowMs, midnightAfter(at.nowMs));
    const usage = accountUsage(at, limits, [minute, day], own && this.#ownWindow(own, at));
    const counted = this.#charge(this.#accounts[whose], account, { usage, aheadMs }, cost);
    if (counted.admitted) this.#keepOwn(own, { usage: counted.usage, aheadMs });
    return counted;
  }

  /** Counts one request of a client address, or one attempt under another name, unless the window of that name is full. */
  admitNamed(name: string, limit: number): { admitted: boolean; usage: Usage } {
    return this.#charge(this.#named, name, { usage: this.usageOf(name, limit), aheadMs: 0 });
  }

  /** The usage of an address or other name, as far as this process has counted it. */
  usageOf(name: string, limit: number): Usage {
    const { at, minute } = this.#now(this.#named.get(name));
    return { ...at, minute: { ...minute, limit } };
  }

  /** Takes back one attempt under a name, if one is counted. */
  refund(name: string): void {
    const counted = this.#named.get(name);
    if (counted === undefined || counted.minuteUsed === 0) return;
    this.#named.set(name, { ...counted, minuteUsed: counted.minuteUsed - 1 });
  }

  /** The window of a key alone, at an instant of its account's clock. */
  #ownWindow({ name, limit }: OwnLimit, { nowMs, windowMs }: Pick<Usage, 'nowMs' | 'windowMs'>): Window {
    const known = this.#named.get(name);
    const stored = known && { used: known.minuteUsed, endsMs: known.minuteEndsMs };
    return { ...countNow(stored, nowMs, nowMs + windowMs), limit };
  }

  #keepOwn(own: OwnLimit | undefined, { usage, aheadMs }: Counting): void {
    const { nowMs, windowMs, key } = usage;
    if (own === undefined || key === undefined) return;
    this.#keep(this.#named, own.name, { usage: { nowMs, windowMs, minute: key }, aheadMs });
  }

  #now(known: LastCounts | undefined) {
    const aheadMs = known?.aheadMs ?? 0;
    const at = { nowMs: this.#clock() + aheadMs, windowMs: this.#windowMs };
    const stored = known && { used: known.minuteUsed, endsMs: known.minuteEndsMs };
    return { at, aheadMs, known, minute: countNow(stored, at.nowMs, at.nowMs + at.windowMs) };
  }

  #charge(
    map: Map<string, LastCounts>,
    name: string,
    { usage: before, aheadMs }: Counting,
    cost = 1,
  ): { admitted: boolean; usage: Usage } {
    if (!admits(before)) return { admitted: false, usage: before };
    const usage = charge(before, cost);
    this.#keep(map, name, { usage, aheadMs });
    return { admitted: true, usage };
  }

  #keep(map: Map<string, LastCounts>, name: string, { usage: { minute, day }, aheadMs }: Counting): void {
    const counts = {
      minuteUsed: minute.used,
      minuteEndsMs: minute.endsMs,
      dayUsed: day?.used ?? 0,
      dayEndsMs: day?.endsMs ?? 0,
      aheadMs,
    };
    putBounded(map, name, counts, maxLocalCounts);
  }
}
