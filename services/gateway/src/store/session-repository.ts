import {
  type AccessClaims,
  type FoundSession,
  findHolder,
  type HolderStores,
  type SessionRepository,
} from '../domain/holder.ts';
import type { Limits } from '../domain/plan.ts';
import { isOutage, type LookUps } from './look-ups.ts';

/** How long a session is cached: the lifetime of an access token, which `find` verifies before it uses the cache. */
const cachedForMs = 600_000;

export type SessionRepositoryDeps = HolderStores & {
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
  /** By session and the account that it acts for, least recently confirmed first. */
  readonly #known = new Map<string, { readonly holder: FoundSession; readonly atMs: number }>();

  constructor(deps: SessionRepositoryDeps) {
    this.#deps = deps;
  }

  async find(accessToken: string): Promise<FoundSession> {
    const claims = this.#deps.read(accessToken);
    const name = `${claims.sessionId} ${claims.subject}`;
    try {
      const holder = await this.#deps.lookUps.ask(() => this.#read(claims));
      this.#cache(name, holder);
      return holder;
    } catch (error) {
      const known = this.#known.get(name);
      if (known !== undefined && isOutage(error)) return known.holder;
      this.#known.delete(name);
      throw error;
    }
  }

  async #read(claims: AccessClaims): Promise<FoundSession> {
    const { account, person, role } = await findHolder(this.#deps, claims);
    return {
      account: account.id,
      sessionId: claims.sessionId,
      person: person.id,
      role,
      limits: await this.#deps.limitsOf(account.plan),
    };
  }

  #cache(name: string, holder: FoundSession): void {
    const atMs = this.#deps.clock();
    this.#known.delete(name);
    this.#known.set(name, { holder, atMs });
    for (const [oldest, known] of this.#known) {
      if (atMs - known.atMs < cachedForMs) return;
      this.#known.delete(oldest);
    }
  }
}
