import type { Account } from '../domain/accounts.ts';
import { type AccessClaims, findHolder, type SessionRepository } from '../domain/holder.ts';
import type { Limits } from '../domain/plan.ts';
import type { Sessions } from '../domain/sessions.ts';
import { isOutage, type LookUps } from './look-ups.ts';

/** How long a session is cached: the lifetime of an access token, which `find` verifies before it uses the cache. */
const cachedForMs = 600_000;

type Holder = { readonly account: string; readonly sessionId: string; readonly limits: Limits };

export type SessionRepositoryDeps = {
  readonly sessions: Pick<Sessions, 'isOpen'>;
  readonly accounts: { find(id: string): Promise<Account | undefined> };
  readonly limitsOf: (plan: string) => Promise<Limits>;
  /** What a verified access token says. @throws {SigcastError} UNAUTHORIZED for anything else. */
  readonly read: (accessToken: string) => AccessClaims;
  readonly lookUps: LookUps;
  readonly clock: () => number;
};

/**
 * Looks up sessions and their accounts in MongoDB at each call. While MongoDB is unavailable, a session that was open at its
 * last look-up stays valid until its access token expires.
 */
export class MongoSessionRepository implements SessionRepository {
  readonly #deps: SessionRepositoryDeps;
  /** By session, least recently confirmed first. */
  readonly #known = new Map<string, { readonly holder: Holder; readonly atMs: number }>();

  constructor(deps: SessionRepositoryDeps) {
    this.#deps = deps;
  }

  async find(accessToken: string): Promise<Holder> {
    const claims = this.#deps.read(accessToken);
    try {
      const holder = await this.#deps.lookUps.ask(() => this.#read(claims));
      this.#cache(claims.sessionId, holder);
      return holder;
    } catch (error) {
      const known = this.#known.get(claims.sessionId);
      if (known !== undefined && isOutage(error)) return known.holder;
      this.#known.delete(claims.sessionId);
      throw error;
    }
  }

  async #read(claims: AccessClaims): Promise<Holder> {
    const account = await findHolder(this.#deps, claims);
    return {
      account: account.id,
      sessionId: claims.sessionId,
      limits: await this.#deps.limitsOf(account.plan),
    };
  }

  #cache(sessionId: string, holder: Holder): void {
    const atMs = this.#deps.clock();
    this.#known.delete(sessionId);
    this.#known.set(sessionId, { holder, atMs });
    for (const [oldest, known] of this.#known) {
      if (atMs - known.atMs < cachedForMs) return;
      this.#known.delete(oldest);
    }
  }
}
