import { unavailable } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import type { AccountState, Credentials, KeyBook, KeyState, Limits } from '../domain/account.ts';
import type { AccountDocument, KeyDocument, Models } from './models.ts';

/** A look-up that takes longer is given up: a request would rather hear "not now" than hang. */
const lookUpTimeoutMs = 1_000;
/** After a failed look-up, none is tried for this long. */
const restMs = 500;
/** How long a plan's limits are kept; a changed plan is followed within this and the copy's age. */
const planMaxAgeMs = 10_000;

export const keyFields = { rev: 1, account: 1, revoked_at: 1, expires_at: 1 } as const;
export const accountFields = { rev: 1, status: 1, plan: 1 } as const;

export type KeyBookOptions = {
  readonly models: Models;
  readonly clock: () => number;
  /** When a look-up is given up, a second if absent. */
  readonly timeoutMs?: number;
  /** Told of every look-up that failed or was given up. */
  readonly onFailure?: () => void;
};

/** Keys and accounts in MongoDB. Nothing but plans is kept in the process: a revocation binds on the next look-up. */
export class MongoKeyBook implements KeyBook {
  readonly #models: Models;
  readonly #clock: () => number;
  readonly #timeoutMs: number;
  readonly #onFailure: () => void;
  readonly #plans = new Map<string, { limits: Limits; readAtMs: number }>();
  #restUntilMs = 0;

  constructor(options: KeyBookOptions) {
    this.#models = options.models;
    this.#clock = options.clock;
    this.#timeoutMs = options.timeoutMs ?? lookUpTimeoutMs;
    this.#onFailure = options.onFailure ?? (() => undefined);
  }

  async find(key: { account: string; sha256: string }): Promise<Credentials | undefined> {
    if (this.#clock() < this.#restUntilMs) throw unavailable('The key store');
    try {
      return await withTimeout(
        storeCall(() => this.#read(key)),
        this.#timeoutMs,
      );
    } catch (error) {
      this.#onFailure();
      this.#restUntilMs = this.#clock() + restMs;
      throw error;
    }
  }

  /** The limits of a plan. @throws when there is no such plan: an account can't have one that never was. */
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

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('The key store')), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
