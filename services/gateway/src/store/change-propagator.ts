import { storeCall } from '@sigcast/mongo';
import { pause } from '@sigcast/runtime';
import type { Limits } from '../domain/account.ts';
import type { ApiKey } from '../domain/api-key.ts';
import { accountFields, accountState, keyFields, keyState } from './key-repository.ts';
import type { AccountDocument, KeyDocument, Models } from './models.ts';
import type { RecordCache } from './shared-store.ts';

/** Changes read in one go. */
const batchSize = 500;
const patientTries = 15;
const betweenTriesMs = 100;

/** Redis, where the copies are, did not take a change. */
export class CacheUnavailable extends Error {
  override readonly name = 'CacheUnavailable';
}

async function copying(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (cause) {
    throw new CacheUnavailable('a change could not be announced', { cause });
  }
}

/**
 * Hands changes of keys and accounts from MongoDB, where they were made and marked, to the copies that gateways
 * decide by. Whoever makes a change announces it at once; gateways look for marks left behind by a crash or an outage.
 */
export class ChangePropagator {
  readonly #models: Models;
  readonly #copies: RecordCache;
  readonly #limitsOf: (plan: string) => Promise<Limits>;

  constructor(deps: {
    models: Models;
    copies: RecordCache;
    limitsOf: (plan: string) => Promise<Limits>;
  }) {
    this.#models = deps.models;
    this.#copies = deps.copies;
    this.#limitsOf = deps.limitsOf;
  }

  /** Announces one key as it is now. @throws when a store does not answer; the mark stays. */
  async propagateKey(key: ApiKey): Promise<void> {
    const found = await this.#models.keys.findById(key.sha256, keyFields).lean();
    if (found !== null) await this.#putKey(found);
  }

  /** Announces one key, more than once if need be. False when it is not known everywhere after about two seconds. */
  propagateKeySoon(key: ApiKey): Promise<boolean> {
    const { keys } = this.#models;
    return soon(
      () => this.propagateKey(key),
      () => storeCall(() => keys.findById(key.sha256, { announce: 1 }).lean()),
    );
  }

  /** Announces one account as it is now. @throws when a store does not answer; the mark stays. */
  async propagateAccount(account: string): Promise<void> {
    const found = await this.#models.accounts.findById(account, accountFields).lean();
    if (found !== null) await this.#putAccount(found);
  }

  /** Announces one account, more than once if need be. False when it is not known everywhere after about two seconds. */
  propagateAccountSoon(account: string): Promise<boolean> {
    const { accounts } = this.#models;
    return soon(
      () => this.propagateAccount(account),
      () => storeCall(() => accounts.findById(account, { announce: 1 }).lean()),
    );
  }

  /**
   * Announces every change that is still marked, of those accounts that `matters` says; what can't be told stays marked.
   * @throws {CacheUnavailable} when Redis does not answer, another error when MongoDB does not.
   */
  async propagatePending(matters: (account: string) => boolean = () => true): Promise<void> {
    const { keys, accounts } = this.#models;
    const marked = (after: string) => ({ announce: true as const, _id: { $gt: after } });
    await inPages(
      (after) =>
        keys.find(marked(after), keyFields).hint('unannounced').sort({ _id: 1 }).limit(batchSize).lean(),
      (key) => (matters(key.account) ? this.#putKey(key) : undefined),
    );
    await inPages(
      (after) =>
        accounts
          .find(marked(after), accountFields)
          .hint('unannounced')
          .sort({ _id: 1 })
          .limit(batchSize)
          .lean(),
      (account) => (matters(account._id) ? this.#putAccount(account) : undefined),
    );
  }

  async #putKey(key: Pick<KeyDocument, '_id' | keyof typeof keyFields>): Promise<void> {
    await copying(this.#copies.putKey({ account: key.account, sha256: key._id }, keyState(key)));
    await this.#models.keys.updateOne({ _id: key._id, rev: key.rev }, { $unset: { announce: 1 } });
  }

  async #putAccount(account: Pick<AccountDocument, '_id' | keyof typeof accountFields>): Promise<void> {
    const state = accountState(account, await this.#limitsOf(account.plan));
    await copying(this.#copies.putAccount(account._id, state));
    await this.#models.accounts.updateOne(
      { _id: account._id, rev: account.rev },
      { $unset: { announce: 1 } },
    );
  }
}

async function soon(
  propagate: () => Promise<void>,
  read: () => Promise<{ announce?: boolean } | null>,
): Promise<boolean> {
  for (let tries = 0; tries < patientTries; tries += 1) {
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

/** Reads by id, because what is passed over stays marked. */
async function inPages<T extends { _id: string }>(
  read: (after: string) => PromiseLike<readonly T[]>,
  each: (found: T) => Promise<void> | undefined,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: readonly T[] = await read(after);
    for (const found of page) await each(found);
    after = page.length < batchSize ? undefined : page.at(-1)?._id;
  }
}
