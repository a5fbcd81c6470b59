import type { ApiKey } from '../domain/api-key.ts';
import type { Credentials, KeyRepository } from '../domain/credentials.ts';
import type { AccountQuotas, Plan } from '../domain/plan.ts';
import { restrictionFields, restrictionsOf } from './key-restrictions.ts';
import { LookUps } from './look-ups.ts';
import { type Models, toPlan } from './models.ts';

/** How long a plan is cached. A changed plan takes effect within this time plus `readAgainAfterMs`. */
const planMaxAgeMs = 10_000;

export type KeyRepositoryOptions = {
  readonly models: Models;
  readonly clock: () => number;
  readonly lookUps?: LookUps;
};

/** Keys and accounts in MongoDB. Only plans are cached here. */
export class MongoKeyRepository implements KeyRepository {
  readonly #models: Models;
  readonly #clock: () => number;
  readonly #lookUps: LookUps;
  readonly #plans = new Map<string, { plan: Plan; readAtMs: number }>();

  constructor(options: KeyRepositoryOptions) {
    this.#models = options.models;
    this.#clock = options.clock;
    this.#lookUps = options.lookUps ?? new LookUps();
  }

  find(key: ApiKey): Promise<Credentials | undefined> {
    return this.#lookUps.ask(() => this.#read(key));
  }

  /** What an account may have. @throws {SigcastError} SERVICE_UNAVAILABLE when the store can't be asked. */
  quotasOf(account: string): Promise<AccountQuotas> {
    return this.#lookUps.ask(async () => {
      const owner = await this.#models.accounts.findById(account, { plan: 1, verification: 1 }).lean();
      if (owner === null) throw new Error(`there is no account ${account}`);
      const { webhooks, streams } = await this.planOf(owner.plan);
      return { webhooks, streams, unverified: owner.verification === 'pending' };
    });
  }

  /** A plan by its name. @throws when there is no such plan: a bug, because accounts have only plans that exist. */
  async planOf(name: string): Promise<Plan> {
    const known = this.#plans.get(name);
    if (known !== undefined && this.#clock() - known.readAtMs < planMaxAgeMs) return known.plan;
    const found = await this.#models.plans.findById(name).lean();
    if (found === null) throw new Error(`there is no plan ${name}`);
    const plan = toPlan(found);
    this.#plans.set(name, { plan, readAtMs: this.#clock() });
    return plan;
  }

  async #read({ account, sha256 }: ApiKey): Promise<Credentials | undefined> {
    const [key, owner] = await Promise.all([
      this.#models.keys
        .findById(sha256, { account: 1, revoked_at: 1, expires_at: 1, ...restrictionFields })
        .lean(),
      this.#models.accounts.findById(account, { status: 1, plan: 1 }).lean(),
    ]);
    if (key === null || owner === null || key.account !== account) return undefined;
    return {
      revoked: key.revoked_at !== null,
      expiresAtMs: key.expires_at?.getTime() ?? null,
      status: owner.status,
      limits: await this.planOf(owner.plan),
      restrictions: restrictionsOf(key),
    };
  }
}
