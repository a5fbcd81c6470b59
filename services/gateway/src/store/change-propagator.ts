import { pause } from '@sigcast/runtime';
import { putBounded } from '../domain/bounded-map.ts';
import type { Models } from './models.ts';
import { accountWindows } from './redis-counters.ts';

const maxTries = 15;
const betweenTriesMs = 100;
/** A master that comes into use may lack what was written for so long before. At most so many accounts are remembered. */
const recentForMs = 5 * 60_000;
const maxRecent = 10_000;

export type ChangePropagatorDeps = {
  readonly models: Models;
  readonly redis: { hdel(key: string, field: string): Promise<unknown> };
};

/**
 * Makes every gateway read an account and its keys again after a change, by removing the account's stamp from Redis. The
 * write of a change also sets the mark `pending` in its document. The process that makes a change propagates it; gateways
 * look for marks that a crash or an outage has left behind.
 */
export class ChangePropagator {
  readonly #models: Models;
  readonly #redis: ChangePropagatorDeps['redis'];
  /** When this process last removed the stamp of an account. */
  readonly #recent = new Map<string, number>();

  constructor({ models, redis }: ChangePropagatorDeps) {
    this.#models = models;
    this.#redis = redis;
  }

  /**
   * Propagates the stored changes of an account and its keys, once more where that was done before.
   * @throws when a store does not answer; the marks stay.
   */
  async propagate(account: string): Promise<void> {
    const { keys, accounts } = this.#models;
    const changedKeys = await keys
      .find({ account, ...pending }, { rev: 1 })
      .hint('pending')
      .lean();
    const changedAccounts = await accounts
      .find({ _id: account, ...pending }, { rev: 1 })
      .hint('pending')
      .lean();
    await this.#endStamp(account);
    // A document that has changed since it was read keeps its mark.
    for (const { _id, rev } of changedKeys) await keys.updateOne({ _id, rev }, noLongerPending);
    for (const { _id, rev } of changedAccounts) await accounts.updateOne({ _id, rev }, noLongerPending);
  }

  /** Removes the stamps again that this process removed lately. @throws when Redis does not answer. */
  async repeat(isIncluded: (account: string) => boolean): Promise<void> {
    const since = performance.now() - recentForMs;
    const recent = [...this.#recent].filter(([account, at]) => at >= since && isIncluded(account));
    await Promise.all(recent.map(([account]) => this.#endStamp(account)));
  }

  /** As `propagate`, with retries. False when the changes are still pending after about two seconds. */
  async propagateWithRetries(account: string): Promise<boolean> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      try {
        await this.propagate(account);
        return true;
      } catch {
        await pause(betweenTriesMs);
      }
    }
    return false;
  }

  /** The accounts that have changes to propagate. */
  async changed(): Promise<readonly string[]> {
    const { keys, accounts } = this.#models;
    const changedKeys = await keys.find(pending, { account: 1 }).hint('pending').lean();
    const changedAccounts = await accounts.find(pending, { _id: 1 }).hint('pending').lean();
    return [
      ...new Set([...changedKeys.map(({ account }) => account), ...changedAccounts.map(({ _id }) => _id)]),
    ];
  }

  async #endStamp(account: string): Promise<void> {
    await this.#redis.hdel(accountWindows(account), 'stamp');
    putBounded(this.#recent, account, performance.now(), maxRecent);
  }
}

const pending = { pending: true } as const;
const noLongerPending = { $unset: { pending: 1 } } as const;
