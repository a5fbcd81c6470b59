import { isInserted, storeCall } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import {
  type Account,
  type AccountRepository,
  type NewAccount,
  normaliseEmail,
  type PasswordChange,
} from '../domain/accounts.ts';
import type { ChangeableAccounts } from '../domain/operator-log.ts';
import type { Plan } from '../domain/plan.ts';
import { type AccountDocument, type Models, newRevision, planFields, toPlan } from './models.ts';

/** Accounts and plans in MongoDB. Every change is one atomic write, which also marks the change for propagation. */
export class MongoAccounts implements AccountRepository, ChangeableAccounts {
  readonly #models: Models;
  readonly #clock: () => number;

  constructor(models: Models, clock: () => number = Date.now) {
    this.#models = models;
    this.#clock = clock;
  }

  /** Undefined when the e-mail address has an account already. */
  async create({ verification = 'not-asked', ...given }: NewAccount): Promise<Account | undefined> {
    const nowMs = this.#clock();
    const document: AccountDocument = {
      _id: newId('acct', nowMs),
      email: normaliseEmail(given.email),
      password_hash: given.passwordHash,
      plan: given.plan,
      status: 'active',
      created_at: new Date(nowMs),
      ...(verification !== 'not-asked' && { verification }),
      rev: 1,
    };
    const isNew = await isInserted(() => storeCall(() => this.#models.accounts.create(document)));
    return isNew ? toAccount(document) : undefined;
  }

  /** By id or by e-mail address. */
  async find(idOrEmail: string): Promise<Account | undefined> {
    return toAccount(await storeCall(() => this.#models.accounts.findOne(filterOf(idOrEmail)).lean()));
  }

  /** An account with its password's hash, by id or by e-mail address. */
  async findWithPassword(idOrEmail: string): Promise<{ account: Account; passwordHash: string } | undefined> {
    const found = await storeCall(() => this.#models.accounts.findOne(filterOf(idOrEmail)).lean());
    const account = toAccount(found);
    return found === null || account === undefined
      ? undefined
      : { account, passwordHash: found.password_hash };
  }

  /** Of two changes at once, one wins. */
  async replacePassword(id: string, { from, to, revokeAccess }: PasswordChange): Promise<boolean> {
    const $set = {
      password_hash: to,
      ...(revokeAccess && {
        access_revoked_at: new Date(this.#clock()),
        noticed: false,
        pending: true as const,
      }),
    };
    const change = { ...(revokeAccess && newRevision), $set, $unset: { new_email: 1 as const } };
    const { matchedCount } = await storeCall(() =>
      this.#models.accounts.updateOne({ _id: id, password_hash: from }, change),
    );
    return matchedCount === 1;
  }

  async setNewEmail(id: string, email: string): Promise<void> {
    const filter = { _id: id, status: { $ne: 'deleted' as const } };
    await storeCall(() => this.#models.accounts.updateOne(filter, { $set: { new_email: email } }));
  }

  async takeNewEmail(id: string, email: string): Promise<'taken' | 'changed' | 'done'> {
    const change = {
      ...newRevision,
      $set: { email, verification: 'verified' as const, noticed: false, pending: true as const },
      $unset: { new_email: 1 as const },
    };
    let isMatched = false;
    const isFree = await isInserted(async () => {
      const update = () => this.#models.accounts.updateOne({ _id: id, new_email: email }, change);
      isMatched = (await storeCall(update)).matchedCount === 1;
    });
    if (!isFree) return 'taken';
    return isMatched ? 'done' : 'changed';
  }

  /**
   * Sets a password's hash, whatever it was, and revokes the account's webhooks and passkeys. Sessions are bound to the hash they began
   * with, so they end. False when there is no such account.
   */
  async setPassword(id: string, passwordHash: string): Promise<boolean> {
    const { matchedCount } = await storeCall(() =>
      this.#models.accounts.updateOne(
        { _id: id, status: { $ne: 'deleted' } },
        { ...this.#revokingAccess({ password_hash: passwordHash }), $unset: { new_email: 1 } },
      ),
    );
    return matchedCount === 1;
  }

  /**
   * Undefined when there is no such account or, with `from`, when its status is another. Setting the present status again
   * only propagates and publishes it again.
   */
  async setStatus(
    id: string,
    status: Account['status'],
    from?: Account['status'],
  ): Promise<Account | undefined> {
    return this.#change(id, { status, noticed: false }, from === undefined ? {} : { status: from });
  }

  /**
   * Deletes an account. Its document stays with the status `deleted`, so that the deletion can be published; a gateway then
   * removes the account's keys, sessions, mails, requests and usage. Undefined when there is no such account.
   */
  async remove(id: string): Promise<Account | undefined> {
    const before = await storeCall(() =>
      this.#models.accounts
        .findOneAndUpdate(
          { _id: id, status: { $ne: 'deleted' } },
          {
            ...newRevision,
            $set: {
              status: 'deleted',
              email: `deleted:${id}`,
              password_hash: 'deleted',
              pending: true,
              noticed: false,
            },
            $unset: { operator: 1, mail: 1, digest_due_at: 1, new_email: 1 },
          },
        )
        .lean(),
    );
    return toAccount(before);
  }

  /** Undefined when there is no such account. An account whose webhooks wait is published, so that they go on. */
  async verify(id: string): Promise<Account | undefined> {
    return this.#change(id, { verification: 'verified', noticed: false });
  }

  #revokingAccess(values: Pick<AccountDocument, 'password_hash'>) {
    const revocation = {
      access_revoked_at: new Date(this.#clock()),
      noticed: false,
      pending: true,
    } as const;
    return { ...newRevision, $set: { ...values, ...revocation } };
  }

  /** Marks every account whose state was ever published, or is not plainly active, to be published again. Returns their number. */
  async notifyAll(): Promise<number> {
    const ever = { $or: [{ noticed: { $exists: true } }, { status: { $ne: 'active' as const } }] };
    const { matchedCount } = await storeCall(() =>
      this.#models.accounts.updateMany(ever, { $set: { noticed: false } }),
    );
    return matchedCount;
  }

  /**
   * Marks an account as an operator's, or removes the mark. Undefined when there is no such account or, with `from`, when
   * its mark differs from `from`.
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
    return found === null ? undefined : toPlan(found);
  }

  /** Makes a plan or changes it; accounts that have it follow within about a minute. */
  async putPlan(plan: Plan): Promise<void> {
    const update = { $set: planFields(plan) };
    await storeCall(() => this.#models.plans.updateOne({ _id: plan.name }, update, { upsert: true }));
  }

  async #change(
    id: string,
    values: Partial<Pick<AccountDocument, 'status' | 'plan' | 'verification' | 'noticed'>>,
    from: Partial<Pick<AccountDocument, 'status' | 'plan'>> = {},
  ) {
    const found = await storeCall(() =>
      this.#models.accounts
        .findOneAndUpdate(
          { _id: id, status: { $ne: 'deleted' }, ...from },
          { ...newRevision, $set: { ...values, pending: true } },
          { returnDocument: 'after' },
        )
        .lean(),
    );
    return toAccount(found);
  }
}

function filterOf(idOrEmail: string) {
  return idOrEmail.includes('@') ? { email: normaliseEmail(idOrEmail) } : { _id: idOrEmail };
}

/** The account in a document; undefined for a deleted account. */
export function toAccount(document: AccountDocument | null): Account | undefined {
  if (document === null || document.status === 'deleted') return undefined;
  const { _id, email, new_email: newEmail = null, plan, status } = document;
  const { created_at: createdAt, operator = false, verification = 'not-asked' } = document;
  const { access_revoked_at: accessRevokedAt = null } = document;
  return { id: _id, email, newEmail, plan, status, operator, verification, createdAt, accessRevokedAt };
}
