import type { Limits } from './account.ts';
import { accountUsage, admits, charge, countNow, midnightAfter, type Usage } from './usage.ts';

/** `aheadMs`: how far the clock of whoever counted it was ahead of this process' clock. */
type Known = { readonly usage: Usage; readonly aheadMs: number };

/** Above this many accounts and addresses, those whose windows have ended are forgotten. */
const sweepAbove = 10_000;

/**
 * Counts in the process, while the shared counters are away. An account's windows go on from what the shared counters
 * said last. It knows nothing of what other gateways admit meanwhile: that is the price of going on.
 */
export class LocalCounters {
  readonly #known = new Map<string, Known>();
  readonly #windowMs: number;
  readonly #clock: () => number;
  #sweepAbove = sweepAbove;

  constructor(options: { windowMs: number; clock: () => number }) {
    this.#windowMs = options.windowMs;
    this.#clock = options.clock;
  }

  /** Takes over what the shared counters have just said of an account. */
  note(account: string, usage: Usage): void {
    this.#keep(account, { usage, aheadMs: usage.nowMs - this.#clock() });
  }

  /** Admits one request of an account if both windows have room, and charges both or neither. */
  admitAccount(account: string, limits: Limits): { admitted: boolean; usage: Usage } {
    const { at, aheadMs, known, minute } = this.#now(account);
    const day = countNow(known?.day, at.nowMs, midnightAfter(at.nowMs));
    return this.#settle(account, { usage: accountUsage(at, limits, [minute, day]), aheadMs });
  }

  /** Admits one request from an address if its minute has room. */
  admitAddress(address: string, limit: number): { admitted: boolean; usage: Usage } {
    const { at, aheadMs, minute } = this.#now(address);
    return this.#settle(address, { usage: { ...at, minute: { ...minute, limit } }, aheadMs });
  }

  #now(name: string) {
    const { usage: known, aheadMs = 0 } = this.#known.get(name) ?? {};
    const at = { nowMs: this.#clock() + aheadMs, windowMs: this.#windowMs };
    return { at, aheadMs, known, minute: countNow(known?.minute, at.nowMs, at.nowMs + at.windowMs) };
  }

  #settle(name: string, { usage: before, aheadMs }: Known): { admitted: boolean; usage: Usage } {
    if (!admits(before)) return { admitted: false, usage: before };
    const usage = charge(before);
    this.#keep(name, { usage, aheadMs });
    return { admitted: true, usage };
  }

  #keep(name: string, known: Known): void {
    this.#known.set(name, known);
    if (this.#known.size > this.#sweepAbove) this.#sweep();
  }

  /** Forgets what counts no more. The bound grows with what is left, so that sweeping stays rare. */
  #sweep(): void {
    for (const [name, { usage, aheadMs }] of this.#known) {
      const nowMs = this.#clock() + aheadMs;
      if (usage.minute.endsMs <= nowMs && (usage.day?.endsMs ?? 0) <= nowMs) this.#known.delete(name);
    }
    this.#sweepAbove = Math.max(sweepAbove, this.#known.size * 2);
  }
}
