import type { AccountState, Credentials, KeyRepository, KeyState } from '../domain/credentials.ts';
import type { Limits } from '../domain/plan.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { AccountDocument, KeyDocument, Models } from './models.ts';

/** How long a plan's limits are cached. A changed plan takes effect within this time plus `refreshAfterMs`. */
const planMaxAgeMs = 10_000;

export const keyFields = { rev: 1, account: 1, revoked_at: 1, expires_at: 1 } as const;
export const accountFields = { rev: 1, status: 1, plan: 1 } as const;

export type KeyRepositoryOptions = {
  readonly models: Models;
  readonly clock: () => number;
  /** Shared by all look-ups that requests wait for. */
  readonly breaker?: CircuitBreaker;
};

/** Keys and accounts in MongoDB. Only plans are cached here, so that a revocation takes effect at the next look-up. */
export class MongoKeyRepository implements KeyRepository {
  readonly #models: Models;
  readonly #clock: () => number;
  readonly #breaker: CircuitBreaker;
  readonly #plans = new Map<string, { limits: Limits; readAtMs: number }>();

  constructor(options: KeyRepositoryOptions) {
    this.#models = options.models;
    this.#clock = options.clock;
    this.#breaker = options.breaker ?? new CircuitBreaker({ clock: options.clock });
  }

  find(key: { account: string; sha256: string }): Promise<Credentials | undefined> {
    return this.#breaker.ask(() => this.#read(key));
  }

  /** The limits of a plan. @throws when there is no such plan: a bug, because accounts have only plans that exist. */
  async limitsOf(plan: string): Promise<Limits> {
    const known = this.#plans.get(plan);
    if (known !== undefined && this.#clock() - known.readAtMs < planMaxAgeMs) return known.limits;
    const found = await this.#models.plans.findById(plan).lean();
    if (found === null) throw new Error(`there is no plan ${plan}`);
    const limits = { perMinute: found.per_minute, perDay: found.per_day };
    this.#plans.set(plan, { limits, readAtMs: this.#clock() });
    return limits;
  }

  async #read({ account, sha256 }: { account: string; sha256: string }): Promise<Credentials | undefined> {
    const [key, owner] = await Promise.all([
      this.#models.keys.findById(sha256, keyFields).lean(),
      this.#models.accounts.findById(account, accountFields).lean(),
    ]);
    if (key === null || owner === null || key.account !== account) return undefined;
    return { key: keyState(key), account: accountState(owner, await this.limitsOf(owner.plan)) };
  }
}

export function keyState(key: Pick<KeyDocument, 'rev' | 'revoked_at' | 'expires_at'>): KeyState {
  return { rev: key.rev, revoked: key.revoked_at !== null, expiresAtMs: key.expires_at?.getTime() ?? null };
}

export function accountState(account: Pick<AccountDocument, 'rev' | 'status'>, limits: Limits): AccountState {
  return { rev: account.rev, status: account.status, limits };
}
