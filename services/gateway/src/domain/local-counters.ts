import type { Limits } from './account.ts';
import { type SlidingCount, slide } from './sliding-window.ts';
import { accountUsage, admits, charge, dayMs, type Usage } from './usage.ts';

type Counts = { minute: SlidingCount; day: number; usedToday: number };

/** Above this many accounts and addresses, those whose windows have passed are forgotten. */
const sweepAbove = 10_000;

/**
 * Counts in the process, while the shared counters are away. It starts from nothing and knows nothing of other
 * gateways: the limit holds per process, which is the price of going on.
 */
export class LocalCounters {
  readonly #counts = new Map<string, Counts>();
  readonly #windowMs: number;
  readonly #clock: () => number;
  #sweepAbove = sweepAbove;

  constructor(options: { windowMs: number; clock: () => number }) {
    this.#windowMs = options.windowMs;
    this.#clock = options.clock;
  }

  /** Admits one request of an account if both windows have room, and charges both or neither. */
  admitAccount(account: string, limits: Limits): { admitted: boolean; usage: Usage } {
    const { nowMs, minute, usedToday } = this.#now(account);
    const at = { nowMs, windowMs: this.#windowMs, limits };
    return this.#settle(account, accountUsage(at, minute, usedToday));
  }

  /** Admits one request from an address if its minute has room. */
  admitAddress(address: string, limit: number): { admitted: boolean; usage: Usage } {
    const { nowMs, minute } = this.#now(address);
    return this.#settle(address, { nowMs, windowMs: this.#windowMs, minute: { count: minute, limit } });
  }

  #now(name: string) {
    const nowMs = this.#clock();
    const counts = this.#counts.get(name);
    return {
      nowMs,
      minute: slide(counts?.minute, nowMs, this.#windowMs),
      usedToday: counts?.day === Math.floor(nowMs / dayMs) ? counts.usedToday : 0,
    };
  }

  #settle(name: string, before: Usage): { admitted: boolean; usage: Usage } {
    if (!admits(before)) return { admitted: false, usage: before };
    const usage = charge(before);
    this.#counts.set(name, {
      minute: usage.minute.count,
      day: Math.floor(usage.nowMs / dayMs),
      usedToday: usage.day?.used ?? 0,
    });
    if (this.#counts.size > this.#sweepAbove) this.#sweep(usage.nowMs);
    return { admitted: true, usage };
  }

  /** Forgets what counts no more. The bound grows with what is left, so that sweeping stays rare. */
  #sweep(nowMs: number): void {
    const cell = Math.floor(nowMs / this.#windowMs);
    const day = Math.floor(nowMs / dayMs);
    for (const [name, counts] of this.#counts) {
      const idle = counts.minute.cell < cell - 1;
      if (idle && (counts.usedToday === 0 || counts.day !== day)) this.#counts.delete(name);
    }
    this.#sweepAbove = Math.max(sweepAbove, this.#counts.size * 2);
  }
}
