import type { Limits } from './plan.ts';
import { putBounded } from './bounded-map.ts';
import { accountUsage, admits, charge, countNow, midnightAfter, type Usage } from './usage.ts';

/** A usage, and how far the clock by which it was counted is ahead of this process' clock. */
type Counting = { readonly usage: Usage; readonly aheadMs: number };

/** The last counts of one account or address, in one flat object to save memory. For an address the day's fields are 0. */
type LastCounts = {
  readonly minuteUsed: number;
  readonly minuteEndsMs: number;
  readonly dayUsed: number;
  readonly dayEndsMs: number;
  readonly aheadMs: number;
};

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
  readonly #addresses = new Map<string, LastCounts>();
  readonly #windowMs: number;
  readonly #clock: () => number;

  constructor(options: { windowMs: number; clock: () => number }) {
    this.#windowMs = options.windowMs;
    this.#clock = options.clock;
  }

  /** Stores the usage that the shared counters have just returned for an account. */
  note(whose: AccountWindows, account: string, usage: Usage): void {
    this.#keep(this.#accounts[whose], account, { usage, aheadMs: usage.nowMs - this.#clock() });
  }

  /** Counts one request in both windows of an account, or in none when one is full. */
  admitAccount(whose: AccountWindows, account: string, limits: Limits): { admitted: boolean; usage: Usage } {
    const { at, aheadMs, known, minute } = this.#now(this.#accounts[whose].get(account));
    const stored = known && { used: known.dayUsed, endsMs: known.dayEndsMs };
    const day = countNow(stored, at.nowMs, midnightAfter(at.nowMs));
    const usage = accountUsage(at, limits, [minute, day]);
    return this.#charge(this.#accounts[whose], account, { usage, aheadMs });
  }

  /** Counts one request from an address, unless its minute is full. */
  admitAddress(address: string, limit: number): { admitted: boolean; usage: Usage } {
    return this.#charge(this.#addresses, address, { usage: this.usageOf(address, limit), aheadMs: 0 });
  }

  /** The usage of an address, as far as this process has counted it. */
  usageOf(address: string, limit: number): Usage {
    const { at, minute } = this.#now(this.#addresses.get(address));
    return { ...at, minute: { ...minute, limit } };
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
  ): { admitted: boolean; usage: Usage } {
    if (!admits(before)) return { admitted: false, usage: before };
    const usage = charge(before);
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
