import { storeCall } from '@sigcast/mongo';
import { pause } from '@sigcast/runtime';
import type { ApiKey } from '../domain/api-key.ts';
import type { Limits } from '../domain/plan.ts';
import { accountFields, accountState, keyFields, keyState } from './key-repository.ts';
import type { AccountDocument, KeyDocument, Models } from './models.ts';
import type { RecordCache } from './record-cache.ts';

/** Changed documents that one query reads at most. */
const batchSize = 500;
const maxTries = 15;
const betweenTriesMs = 100;
/**
 * Changes of this time are propagated again to a master that comes into use. Redis replicates asynchronously, so a replica
 * may become master without the changes of the last seconds; this is longer than a master may be away before one does.
 */
const repeatedForMs = 300_000;

/** The error when Redis did not take a change of a cached key or account. */
export class CacheUnavailable extends Error {
  override readonly name = 'CacheUnavailable';
}

/** @throws {CacheUnavailable} when `work`, a write to the cache, fails. */
async function writingCache(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (cause) {
    throw new CacheUnavailable('Redis did not take a change of a key or account', { cause });
  }
}

/**
 * Copies changes of keys and accounts from MongoDB to the cache in Redis, by which gateways decide. Each change sets a
 * mark, `announce`, in its document. The process that makes a change also propagates it; gateways look for marks that a
 * crash or an outage has left behind.
 */
export class ChangePropagator {
  readonly #models: Models;
  readonly #cache: RecordCache;
  readonly #limitsOf: (plan: string) => Promise<Limits>;

  constructor(deps: {
    models: Models;
    cache: RecordCache;
    limitsOf: (plan: string) => Promise<Limits>;
  }) {
    this.#models = deps.models;
    this.#cache = deps.cache;
    this.#limitsOf = deps.limitsOf;
  }

  /** Propagates one key as it is now. @throws when a store does not answer; the mark stays. */
  async propagateKey(key: ApiKey): Promise<void> {
    const found = await this.#models.keys.findById(key.sha256, keyFields).lean();
    if (found !== null) await this.#putKey(found);
  }

  /** Propagates one key, with retries. False when the key is still not in the cache after about two seconds. */
  propagateKeyWithRetries(key: ApiKey): Promise<boolean> {
    const { keys } = this.#models;
    return retryUntilPropagated(
      () => this.propagateKey(key),
      () => storeCall(() => keys.findById(key.sha256, { announce: 1 }).lean()),
    );
  }

  /** Propagates one account as it is now. @throws when a store does not answer; the mark stays. */
  async propagateAccount(account: string): Promise<void> {
    const found = await this.#models.accounts.findById(account, accountFields).lean();
    if (found !== null) await this.#putAccount(found);
  }

  /** Propagates one account, with retries. False when the account is still not in the cache after about two seconds. */
  propagateAccountWithRetries(account: string): Promise<boolean> {
    const { accounts } = this.#models;
    return retryUntilPropagated(
      () => this.propagateAccount(account),
      () => storeCall(() => accounts.findById(account, { announce: 1 }).lean()),
    );
  }

  /**
   * Propagates every marked change of the accounts for which `isIncluded` is true. A change that fails stays marked.
   * @throws {CacheUnavailable} when Redis does not answer, another error when MongoDB does not.
   */
  propagatePending(isIncluded?: (account: string) => boolean): Promise<void> {
    return this.#propagateAll({ announce: true }, 'unannounced', isIncluded);
  }

  /** Propagates the changes of the last five minutes again: Redis may have lost them. @throws as `propagatePending`. */
  propagateRecent(isIncluded?: (account: string) => boolean): Promise<void> {
    const since = new Date(Date.now() - repeatedForMs);
    return this.#propagateAll({ propagated_at: { $gt: since } }, 'propagated', isIncluded);
  }

  async #propagateAll(
    which: { readonly announce: true } | { readonly propagated_at: { readonly $gt: Date } },
    index: string,
    isIncluded: (account: string) => boolean = () => true,
  ): Promise<void> {
    const { keys, accounts } = this.#models;
    const behind = (after: string) => ({ ...which, _id: { $gt: after } });
    await forEachPaged(
      (after) => keys.find(behind(after), keyFields).hint(index).sort({ _id: 1 }).limit(batchSize).lean(),
      (key) => (isIncluded(key.account) ? this.#putKey(key) : undefined),
    );
    await forEachPaged(
      (after) =>
        accounts.find(behind(after), accountFields).hint(index).sort({ _id: 1 }).limit(batchSize).lean(),
      (account) => (isIncluded(account._id) ? this.#putAccount(account) : undefined),
    );
  }

  async #putKey(key: Pick<KeyDocument, '_id' | keyof typeof keyFields>): Promise<void> {
    await writingCache(this.#cache.putKey({ account: key.account, sha256: key._id }, keyState(key)));
    await this.#models.keys.updateOne({ _id: key._id, rev: key.rev, announce: true }, noteDone());
  }

  async #putAccount(account: Pick<AccountDocument, '_id' | keyof typeof accountFields>): Promise<void> {
    const state = accountState(account, await this.#limitsOf(account.plan));
    await writingCache(this.#cache.putAccount(account._id, state));
    await this.#models.accounts.updateOne({ _id: account._id, rev: account.rev, announce: true }, noteDone());
  }
}

/** The update of a document whose change is in Redis. Not for a change that is only repeated: it would be recent for ever. */
const noteDone = () => ({ $set: { propagated_at: new Date() }, $unset: { announce: 1 } }) as const;

async function retryUntilPropagated(
  propagate: () => Promise<void>,
  read: () => Promise<{ announce?: boolean } | null>,
): Promise<boolean> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    try {
      await propagate();
      return true;
    } catch {
      await pause(betweenTriesMs);
    }
    // Another gateway may reach Redis where this one does not: each looks for marks every second.
    if ((await read())?.announce !== true) return true;
  }
  return false;
}

/** Handles all documents, page by page, in the order of ids. Each page begins after the last one, because skipped documents stay marked. */
async function forEachPaged<T extends { _id: string }>(
  read: (after: string) => PromiseLike<readonly T[]>,
  handle: (found: T) => Promise<void> | undefined,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: readonly T[] = await read(after);
    for (const found of page) await handle(found);
    after = page.length < batchSize ? undefined : page.at(-1)?._id;
  }
}
