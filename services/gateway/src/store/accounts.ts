import { randomBytes } from 'node:crypto';
import { isDuplicateKey, storeCall } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import { type Account, type KeyListing, normaliseEmail, type Plan } from '../domain/accounts.ts';
import { createApiKey } from '../domain/api-key.ts';
import { insertKey, requireSlot } from './key-slots.ts';
import type { AccountDocument, KeyDocument, Models } from './models.ts';

/** What a change is about to say of itself; whoever makes it announces it afterwards. */
const change = { $inc: { rev: 1 } } as const;

/** Accounts, plans and keys in MongoDB: every change is one atomic write that marks itself for announcement. */
export class MongoAccounts {
  readonly #models: Models;
  readonly #clock: () => number;

  constructor(models: Models, clock: () => number = Date.now) {
    this.#models = models;
    this.#clock = clock;
  }

  /** Undefined when the e-mail address has an account already. */
  async create(given: { email: string; passwordHash: string; plan: string }): Promise<Account | undefined> {
    const nowMs = this.#clock();
    const document: AccountDocument = {
      _id: newId('acct', nowMs),
      email: normaliseEmail(given.email),
      password_hash: given.passwordHash,
      plan: given.plan,
      status: 'active',
      created_at: new Date(nowMs),
      rev: 1,
    };
    try {
      await storeCall(() => this.#models.accounts.create(document));
    } catch (error) {
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
    return toAccount(document);
  }

  /** By id or by e-mail address. */
  async find(idOrEmail: string): Promise<Account | undefined> {
    const filter = idOrEmail.includes('@') ? { email: normaliseEmail(idOrEmail) } : { _id: idOrEmail };
    return toAccount(await storeCall(() => this.#models.accounts.findOne(filter).lean()));
  }

  /** An account with its password's hash, by e-mail address: for signing in. */
  async findWithPassword(email: string): Promise<{ account: Account; passwordHash: string } | undefined> {
    const filter = { email: normaliseEmail(email) };
    const found = await storeCall(() => this.#models.accounts.findOne(filter).lean());
    const account = toAccount(found);
    return found === null || account === undefined
      ? undefined
      : { account, passwordHash: found.password_hash };
  }

  /** Replaces a password's hash, if it still is the one given: of two changes at once, one wins. */
  async replacePassword(id: string, from: string, to: string): Promise<boolean> {
    const { matchedCount } = await storeCall(() =>
      this.#models.accounts.updateOne({ _id: id, password_hash: from }, { $set: { password_hash: to } }),
    );
    return matchedCount === 1;
  }

  /**
   * Sets a password's hash, whatever it was. Sessions are bound to the hash they began with, so they end. False when
   * there is no such account.
   */
  async setPassword(id: string, passwordHash: string): Promise<boolean> {
    const { matchedCount } = await storeCall(() =>
      this.#models.accounts.updateOne(
        { _id: id, status: { $ne: 'deleted' } },
        { $set: { password_hash: passwordHash } },
      ),
    );
    return matchedCount === 1;
  }

  /**
   * Undefined when there is no such account or, with `from`, when its status is another. Setting what is set already
   * changes nothing but is announced again.
   */
  async setStatus(
    id: string,
    status: Account['status'],
    from?: Account['status'],
  ): Promise<Account | undefined> {
    return this.#change(id, { status, noticed: false }, from === undefined ? {} : { status: from });
  }

  /**
   * Deletes an account. What stays of it says that it is deleted, so that all who have to know can be told; a gateway
   * then removes what belonged to it. Undefined when there is no such account.
   */
  async remove(id: string): Promise<Account | undefined> {
    const before = await storeCall(() =>
      this.#models.accounts
        .findOneAndUpdate(
          { _id: id, status: { $ne: 'deleted' } },
          {
            ...change,
            $set: {
              ...{ status: 'deleted', email: `deleted:${id}`, password_hash: 'deleted' },
              ...{ announce: true, noticed: false },
            },
            $unset: { operator: 1 },
          },
        )
        .lean(),
    );
    return toAccount(before);
  }

  /** Has others told anew of every account that was ever suspended or deleted. Returns how many they are. */
  async notifyAll(): Promise<number> {
    const ever = { $or: [{ noticed: { $exists: true } }, { status: { $ne: 'active' as const } }] };
    const { matchedCount } = await storeCall(() =>
      this.#models.accounts.updateMany(ever, { $set: { noticed: false } }),
    );
    return matchedCount;
  }

  /**
   * Marks an account as an operator's, or takes the mark away. Undefined when there is no such account or, with `from`,
   * when its mark is not so.
   */
  async setOperator(id: string, operator: boolean, from?: boolean): Promise<Account | undefined> {
    const still = from === undefined ? {} : { operator: from ? (true as const) : { $ne: true as const } };
    const found = await storeCall(() =>
      this.#models.accounts
        .findOneAndUpdate(
          { _id: id, status: { $ne: 'deleted' }, ...still },
          operator ? { $set: { operator: true } } : { $unset: { operator: 1 } },
          { returnDocument: 'after' },
        )
        .lean(),
    );
    return toAccount(found);
  }

  /** Undefined when there is no such account or, with `from`, when its plan is another. */
  async setPlan(id: string, plan: string, from?: string): Promise<Account | undefined> {
    return this.#change(id, { plan }, from === undefined ? {} : { plan: from });
  }

  async findPlan(name: string): Promise<Plan | undefined> {
    const found = await storeCall(() => this.#models.plans.findById(name).lean());
    if (found === null) return undefined;
    return { name: found._id, perMinute: found.per_minute, perDay: found.per_day };
  }

  /** Makes a plan or changes its limits; accounts that have it follow within about a minute. */
  async putPlan({ name, perMinute, perDay }: Plan): Promise<void> {
    const limits = { per_minute: perMinute, per_day: perDay };
    await storeCall(() => this.#models.plans.updateOne({ _id: name }, { $set: limits }, { upsert: true }));
  }

  /**
   * A new key of an account. The text is in the answer and nowhere else.
   * @throws {SigcastError} CONFLICT when the account has as many as it may.
   */
  async createKey(given: {
    account: string;
    name: string;
    environment: string;
    expiresAt: Date | null;
  }): Promise<KeyListing & { text: string }> {
    const { text, sha256, first, last } = createApiKey(given.account, randomBytes);
    const document: KeyDocument = {
      _id: sha256,
      account: given.account,
      name: given.name,
      environment: given.environment,
      first,
      last,
      created_at: new Date(this.#clock()),
      last_used_at: null,
      expires_at: given.expiresAt,
      revoked_at: null,
      rev: 1,
    };
    await insertKey(this.#models, document);
    return { ...toListing(document), text };
  }

  /** @throws {SigcastError} CONFLICT when the account has as many keys as it may. */
  async requireRoomForKey(account: string): Promise<void> {
    await requireSlot(this.#models, account, new Date(this.#clock()));
  }

  /** An account's keys, newest first. */
  async listKeys(account: string): Promise<KeyListing[]> {
    const found = await storeCall(() =>
      this.#models.keys.find({ account }).sort({ created_at: -1, _id: -1 }).hint('by_account').lean(),
    );
    return found.map(toListing);
  }

  /** Lets a key expire at `at`, if it would live longer; revoked ones are left alone. */
  async expireKey(sha256: string, at: Date): Promise<void> {
    await storeCall(() =>
      this.#models.keys.updateOne(
        { _id: sha256, revoked_at: null, $or: [{ expires_at: null }, { expires_at: { $gt: at } }] },
        { ...change, $set: { expires_at: at, announce: true } },
      ),
    );
  }

  /** Keys whose SHA-256 begins with `prefix`; two at most, enough to tell one from several. */
  async findKeys(prefix: string): Promise<KeyListing[]> {
    const range = { $gte: prefix, $lt: `${prefix}g` }; // 'g' follows every hexadecimal digit
    const found = await storeCall(() => this.#models.keys.find({ _id: range }).limit(2).lean());
    return found.map(toListing);
  }

  /** Revokes a key; one revoked already keeps its time and is only announced again. */
  async revokeKey(sha256: string): Promise<KeyListing | undefined> {
    const revoked = await storeCall(() =>
      this.#models.keys
        .findOneAndUpdate(
          { _id: sha256, revoked_at: null },
          { ...change, $set: { revoked_at: new Date(this.#clock()), announce: true }, $unset: { place: 1 } },
          { returnDocument: 'after' },
        )
        .lean(),
    );
    const found = revoked ?? (await storeCall(() => this.#models.keys.findById(sha256).lean()));
    return found === null ? undefined : toListing(found);
  }

  async #change(
    id: string,
    values: Partial<Pick<AccountDocument, 'status' | 'plan' | 'noticed'>>,
    from: Partial<Pick<AccountDocument, 'status' | 'plan'>> = {},
  ) {
    const found = await storeCall(() =>
      this.#models.accounts
        .findOneAndUpdate(
          { _id: id, status: { $ne: 'deleted' }, ...from },
          { ...change, $set: { ...values, announce: true } },
          { returnDocument: 'after' },
        )
        .lean(),
    );
    return toAccount(found);
  }
}

/** The account in a document, unless it is deleted: then there is none. */
export function toAccount(document: AccountDocument | null): Account | undefined {
  if (document === null || document.status === 'deleted') return undefined;
  const { _id, email, plan, status, created_at, operator = false } = document;
  return { id: _id, email, plan, status, operator, createdAt: created_at };
}

function toListing(document: KeyDocument): KeyListing {
  return {
    sha256: document._id,
    account: document.account,
    name: document.name,
    environment: document.environment,
    first: document.first,
    last: document.last,
    createdAt: document.created_at,
    lastUsedAt: document.last_used_at,
    expiresAt: document.expires_at,
    revokedAt: document.revoked_at,
  };
}
