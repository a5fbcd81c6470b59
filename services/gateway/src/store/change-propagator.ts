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
    await this.#propagate({ account }, { _id: account }, () => true);
    await this.#endStamp(account);
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

  /** Propagates the changes of all accounts for which `isIncluded` is true. @throws when a store does not answer; marks stay. */
  propagateAll(isIncluded: (account: string) => boolean): Promise<void> {
    return this.#propagate({}, {}, isIncluded);
  }

  async #propagate(
    ofKeys: { readonly account?: string },
    ofAccounts: { readonly _id?: string },
    isIncluded: (account: string) => boolean,
  ): Promise<void> {
    const { keys, accounts } = this.#models;
    const changedKeys = keys.find({ ...ofKeys, ...pending }, { account: 1, rev: 1 }).hint('pending');
    // eslint-disable-next-line no-restricted-syntax -- in order of ids, which never change
    for await (const { _id, account, rev } of changedKeys.sort({ _id: 1 }).lean().cursor()) {
      if (!isIncluded(account)) continue;
      await this.#endStamp(account);
      await keys.updateOne({ _id, rev }, noLongerPending);
    }
    const changedAccounts = accounts.find({ ...ofAccounts, ...pending }, { rev: 1 }).hint('pending');
    // eslint-disable-next-line no-restricted-syntax -- in order of ids, which never change
    for await (const { _id, rev } of changedAccounts.sort({ _id: 1 }).lean().cursor()) {
      if (!isIncluded(_id)) continue;
      await this.#endStamp(_id);
      await accounts.updateOne({ _id, rev }, noLongerPending);
    }
  }

  async #endStamp(account: string): Promise<void> {
    await this.#redis.hdel(accountWindows(account), 'stamp');
    putBounded(this.#recent, account, performance.now(), maxRecent);
  }
}

const pending = { pending: true } as const;
const noLongerPending = { $unset: { pending: 1 } } as const;
