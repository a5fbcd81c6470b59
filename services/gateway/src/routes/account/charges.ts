import { isRefusal } from '../../domain/audit.ts';
import type { Throttle, ThrottleRule } from '../../domain/throttle.ts';

/** Attempts that one request makes, as far as they are counted. */
export class Charges {
  readonly #throttle: Throttle;
  readonly #charged: [ThrottleRule, string][] = [];

  constructor(throttle: Throttle) {
    this.#throttle = throttle;
  }

  /** Counts an attempt. @throws {SigcastError} RATE_LIMIT_EXCEEDED, with the time to wait. */
  async add(rule: ThrottleRule, subject: string): Promise<void> {
    await this.#throttle.charge(rule, subject);
    this.#charged.push([rule, subject]);
  }

  /** Takes back what is counted. */
  async refund(): Promise<void> {
    await Promise.all(this.#charged.map(([rule, subject]) => this.#throttle.refund(rule, subject)));
  }

  /** Waits for work, whose failure by a fault of ours does not count against the client. */
  async unlessFailed<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!isRefusal(error)) await this.refund();
      throw error;
    }
  }
}
