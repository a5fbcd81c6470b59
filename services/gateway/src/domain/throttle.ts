import type { SharedCounters } from './admission.ts';
import { LocalCounters } from './local-counters.ts';
import { reportUsage, tooMany } from './usage.ts';

/** How many attempts of one kind one subject may make in a window. */
export type ThrottleRule = { readonly name: string; readonly limit: number; readonly windowMs: number };

/** Limits attempts outside the API, such as signing in and signing up. Counts in Redis, or in this process when Redis is unavailable. */
export class Throttle {
  readonly #shared: SharedCounters;
  readonly #clock: () => number;
  readonly #local = new Map<number, LocalCounters>();

  constructor(shared: SharedCounters, clock: () => number) {
    this.#shared = shared;
    this.#clock = clock;
  }

  /** Counts one attempt. @throws {SigcastError} RATE_LIMIT_EXCEEDED, with the time to wait. */
  async charge(rule: ThrottleRule, subject: string): Promise<void> {
    const name = nameOf(rule, subject);
    const shared = await this.#shared.admitNamed(name, rule);
    const { admitted, usage } =
      shared === 'unavailable' ? this.#localFor(rule).admitNamed(name, rule.limit) : shared;
    if (admitted) return;
    throw tooMany(reportUsage(usage), 'Too many attempts');
  }

  /** Takes back one attempt that the rule does not limit after all. */
  async refund(rule: ThrottleRule, subject: string): Promise<void> {
    const name = nameOf(rule, subject);
    if ((await this.#shared.refund(name)) === 'unavailable') this.#localFor(rule).refund(name);
  }

  #localFor({ windowMs }: ThrottleRule): LocalCounters {
    let counters = this.#local.get(windowMs);
    if (counters === undefined) {
      counters = new LocalCounters({ windowMs, clock: this.#clock });
      this.#local.set(windowMs, counters);
    }
    return counters;
  }
}

function nameOf(rule: ThrottleRule, subject: string): string {
  return `${rule.name}:${subject}`;
}
