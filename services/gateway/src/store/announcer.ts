import type { Limits } from '../domain/account.ts';
import type { ApiKey } from '../domain/api-key.ts';
import { accountFields, accountState, keyFields, keyState } from './key-book.ts';
import type { AccountDocument, KeyDocument, Models } from './models.ts';
import type { RecordCopies } from './shared-store.ts';

/** Changes handed on in one go; more wait for the next. */
const batchSize = 500;

/**
 * Hands changes of keys and accounts from MongoDB, where they were made and marked, to the copies that gateways
 * decide by. Whoever makes a change announces it at once; gateways look for marks left behind by a crash or an outage.
 */
export class Announcer {
  readonly #models: Models;
  readonly #copies: RecordCopies;
  readonly #limitsOf: (plan: string) => Promise<Limits>;

  constructor(deps: {
    models: Models;
    copies: RecordCopies;
    limitsOf: (plan: string) => Promise<Limits>;
  }) {
    this.#models = deps.models;
    this.#copies = deps.copies;
    this.#limitsOf = deps.limitsOf;
  }

  /** Announces one key as it is now. @throws when a store does not answer; the mark stays. */
  async announceKey(key: ApiKey): Promise<void> {
    const found = await this.#models.keys.findById(key.sha256, keyFields).lean();
    if (found !== null) await this.#putKey(found);
  }

  /** Announces one account as it is now. @throws when a store does not answer; the mark stays. */
  async announceAccount(account: string): Promise<void> {
    const found = await this.#models.accounts.findById(account, accountFields).lean();
    if (found !== null) await this.#putAccount(found);
  }

  /** Announces every change that is still marked. @throws when a store does not answer; what is left stays marked. */
  async announcePending(): Promise<number> {
    const marked = { announce: true as const };
    const [keys, accounts] = await Promise.all([
      this.#models.keys.find(marked, keyFields).hint('unannounced').limit(batchSize).lean(),
      this.#models.accounts.find(marked, accountFields).hint('unannounced').limit(batchSize).lean(),
    ]);
    for (const key of keys) await this.#putKey(key);
    for (const account of accounts) await this.#putAccount(account);
    return keys.length + accounts.length;
  }

  async #putKey(key: Pick<KeyDocument, '_id' | keyof typeof keyFields>): Promise<void> {
    await this.#copies.putKey({ account: key.account, sha256: key._id }, keyState(key));
    await this.#models.keys.updateOne({ _id: key._id, rev: key.rev }, { $unset: { announce: 1 } });
  }

  async #putAccount(account: Pick<AccountDocument, '_id' | keyof typeof accountFields>): Promise<void> {
    const state = accountState(account, await this.#limitsOf(account.plan));
    await this.#copies.putAccount(account._id, state);
    await this.#models.accounts.updateOne(
      { _id: account._id, rev: account.rev },
      { $unset: { announce: 1 } },
    );
  }
}
