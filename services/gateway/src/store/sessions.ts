import { createHmac, randomBytes } from 'node:crypto';
import { storeCall } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import { sha256Of } from '../domain/api-key.ts';
import type { AuditOrigin } from '../domain/audit.ts';
import type { OpenSession, RefreshToken, RenewedSession, Sessions } from '../domain/sessions.ts';
import { dayMs } from '../domain/usage.ts';
import type { Models, SessionDocument } from './models.ts';

/** A session that is not renewed for this long ends. */
const idleMs = 30 * dayMs;
/** A session ends after this long in any case. Then the user signs in again. */
const maxLifetimeMs = 90 * dayMs;
/**
 * How long a replaced token still gives its successor, because the answer with the successor may have been lost. Short,
 * because a stolen copy of the token works just as long.
 */
const successorForMs = 60_000;
/** The most sessions that a list has. */
const maxListed = 100;
const familyBytes = 16;
const secretBytes = 32;

const tokenPattern = /^(ses_[0-9A-Z]{26})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/**
 * Sessions in MongoDB. Only the SHA-256 of a token is stored; replacing a token is one compare-and-set. The successor is
 * computed from the token and a secret of the session, so that two requests get the same one. Neither the stored data nor
 * the token alone is enough to compute it.
 */
export class MongoSessions implements Sessions {
  readonly #models: Models;
  readonly #clock: () => number;

  constructor(models: Models, clock: () => number) {
    this.#models = models;
    this.#clock = clock;
  }

  async open(account: string, passwordHash: string, origin: AuditOrigin): Promise<RefreshToken> {
    const nowMs = this.#clock();
    const sessionId = newId('ses', nowMs);
    const [family, secret] = [random(familyBytes), random(secretBytes)];
    const expiresAt = new Date(nowMs + idleMs);
    await storeCall(() =>
      this.#models.sessions.create({
        _id: sessionId,
        account,
        password_sha256: sha256Of(passwordHash),
        family_sha256: sha256Of(family),
        secret_sha256: sha256Of(secret),
        succession_key: random(secretBytes),
        created_at: new Date(nowMs),
        expires_at: expiresAt,
        ...lastUse(nowMs, origin),
      }),
    );
    return { sessionId, text: `${sessionId}.${family}.${secret}`, expiresAt };
  }

  async renew(text: string, origin: AuditOrigin): Promise<RenewedSession | undefined> {
    const [, sessionId, family, secret] = tokenPattern.exec(text) ?? [];
    if (sessionId === undefined || family === undefined || secret === undefined) return undefined;
    const found = await this.#findOpen({ _id: sessionId, family_sha256: sha256Of(family) });
    if (found === undefined) return undefined;
    const nowMs = this.#clock();
    const used = sha256Of(secret);
    const next = createHmac('sha256', found.succession_key).update(secret).digest('base64url');
    const expiresAt = new Date(Math.min(nowMs + idleMs, found.created_at.getTime() + maxLifetimeMs));
    const { matchedCount } = await storeCall(() =>
      this.#models.sessions.updateOne(
        { _id: sessionId, secret_sha256: used },
        {
          $set: {
            secret_sha256: sha256Of(next),
            replaced_sha256: used,
            replaced_at: new Date(nowMs),
            expires_at: expiresAt,
            ...lastUse(nowMs, origin),
          },
        },
      ),
    );
    if (matchedCount === 0 && !(await this.#wasJustReplaced(sessionId, used))) {
      // An older token of this session: somebody may have stolen a copy.
      await this.end(sessionId);
      return undefined;
    }
    return {
      account: found.account,
      actsFor: found.acts_for,
      token: { sessionId, text: `${sessionId}.${family}.${next}`, expiresAt },
    };
  }

  async #wasJustReplaced(sessionId: string, secretSha256: string): Promise<boolean> {
    const since = new Date(this.#clock() - successorForMs);
    const replaced = { _id: sessionId, replaced_sha256: secretSha256, replaced_at: { $gt: since } };
    return (await storeCall(() => this.#models.sessions.exists(replaced))) !== null;
  }

  async actFor(sessionId: string, account: string): Promise<void> {
    const change = { $set: { acts_for: account } };
    await storeCall(() => this.#models.sessions.updateOne({ _id: sessionId }, change));
  }

  async isOpen(sessionId: string, account: string): Promise<boolean> {
    return (await this.#findOpen({ _id: sessionId, account })) !== undefined;
  }

  async list(account: string): Promise<OpenSession[]> {
    const { sessions, accounts } = this.#models;
    const owner = await storeCall(() => accounts.findById(account, { password_hash: 1 }).lean());
    if (owner === null) return [];
    const open = {
      account,
      password_sha256: sha256Of(owner.password_hash),
      expires_at: { $gt: new Date(this.#clock()) },
    };
    const found = await storeCall(() =>
      sessions.find(open).sort({ last_used_at: -1, _id: -1 }).limit(maxListed).hint('by_account').lean(),
    );
    return found.map(toOpenSession);
  }

  async endOne(account: string, sessionId: string): Promise<boolean> {
    const { deletedCount } = await storeCall(() =>
      this.#models.sessions.deleteOne({ _id: sessionId, account }),
    );
    return deletedCount === 1;
  }

  async endOthers(account: string, sessionId: string): Promise<number> {
    const others = { account, _id: { $ne: sessionId } };
    const { deletedCount } = await storeCall(() =>
      this.#models.sessions.deleteMany(others).hint('by_account'),
    );
    return deletedCount;
  }

  async end(sessionId: string): Promise<void> {
    await storeCall(() => this.#models.sessions.deleteOne({ _id: sessionId }));
  }

  async endByToken(text: string): Promise<{ account: string; sessionId: string } | undefined> {
    const [, sessionId, family] = tokenPattern.exec(text) ?? [];
    if (sessionId === undefined || family === undefined) return undefined;
    const filter = { _id: sessionId, family_sha256: sha256Of(family) };
    const ended = await storeCall(() => this.#models.sessions.findOneAndDelete(filter).lean());
    return ended === null ? undefined : { account: ended.account, sessionId };
  }

  async endAll(account: string): Promise<void> {
    await storeCall(() => this.#models.sessions.deleteMany({ account }).hint('by_account'));
  }

  /** Finds a session that has not expired and whose account still has the same password. */
  async #findOpen(filter: { _id: string } & Partial<SessionDocument>): Promise<SessionDocument | undefined> {
    const found = await storeCall(() => this.#models.sessions.findOne(filter).lean());
    if (found === null || found.expires_at.getTime() <= this.#clock()) return undefined;
    const owner = await storeCall(() =>
      this.#models.accounts.findById(found.account, { password_hash: 1 }).lean(),
    );
    return owner !== null && sessionHasPassword(found, owner.password_hash) ? found : undefined;
  }
}

function toOpenSession(document: SessionDocument): OpenSession {
  return {
    id: document._id,
    createdAt: document.created_at,
    lastUsedAt: document.last_used_at,
    expiresAt: document.expires_at,
    origin: { address: document.address ?? null, userAgent: document.user_agent ?? null },
  };
}

function lastUse(atMs: number, { address, userAgent }: AuditOrigin) {
  return {
    last_used_at: new Date(atMs),
    ...(address !== null && { address }),
    ...(userAgent !== null && { user_agent: userAgent }),
  };
}

/** Whether a session began with the password that its account has now. */
export function sessionHasPassword(
  { password_sha256 }: Pick<SessionDocument, 'password_sha256'>,
  passwordHash: string,
): boolean {
  return sha256Of(passwordHash) === password_sha256;
}

const random = (bytes: number) => randomBytes(bytes).toString('base64url');
