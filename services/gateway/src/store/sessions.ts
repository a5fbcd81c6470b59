import { hash, randomBytes } from 'node:crypto';
import { storeCall } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import type { RefreshToken, Sessions } from '../domain/sessions.ts';
import type { Models, SessionDocument } from './models.ts';

const dayMs = 86_400_000;
/** A session that is not used for this long ends. */
const idleMs = 30 * dayMs;
/** However much it is used, a session ends after this long: then the password is asked for again. */
const longestMs = 90 * dayMs;
const familyBytes = 16;
const secretBytes = 32;

const tokenPattern = /^(ses_[0-9A-Z]{26})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/** Sessions in MongoDB. A token is kept as SHA-256 only; replacing it is one compare-and-set. */
export class MongoSessions implements Sessions {
  readonly #models: Models;
  readonly #clock: () => number;

  constructor(models: Models, clock: () => number) {
    this.#models = models;
    this.#clock = clock;
  }

  async open(account: string, passwordHash: string): Promise<RefreshToken> {
    const nowMs = this.#clock();
    const sessionId = newId('ses', nowMs);
    const [family, secret] = [random(familyBytes), random(secretBytes)];
    const expiresAt = new Date(nowMs + idleMs);
    await storeCall(() =>
      this.#models.sessions.create({
        _id: sessionId,
        account,
        password_sha256: sha256(passwordHash),
        family_sha256: sha256(family),
        secret_sha256: sha256(secret),
        created_at: new Date(nowMs),
        expires_at: expiresAt,
      }),
    );
    return { sessionId, text: `${sessionId}.${family}.${secret}`, expiresAt };
  }

  async renew(text: string): Promise<{ account: string; token: RefreshToken } | undefined> {
    const [, sessionId, family, secret] = tokenPattern.exec(text) ?? [];
    if (sessionId === undefined || family === undefined || secret === undefined) return undefined;
    const found = await this.#findOpen({ _id: sessionId, family_sha256: sha256(family) });
    if (found === undefined) return undefined;
    const next = random(secretBytes);
    const expiresAt = new Date(Math.min(this.#clock() + idleMs, found.created_at.getTime() + longestMs));
    const { matchedCount } = await storeCall(() =>
      this.#models.sessions.updateOne(
        { _id: sessionId, secret_sha256: sha256(secret) },
        { $set: { secret_sha256: sha256(next), expires_at: expiresAt } },
      ),
    );
    if (matchedCount === 0) {
      // One of this session's tokens, but not the newest: it was used before. By whom, nobody can tell.
      await this.end(sessionId);
      return undefined;
    }
    return {
      account: found.account,
      token: { sessionId, text: `${sessionId}.${family}.${next}`, expiresAt },
    };
  }

  async isOpen(sessionId: string, account: string): Promise<boolean> {
    return (await this.#findOpen({ _id: sessionId, account })) !== undefined;
  }

  async end(sessionId: string): Promise<void> {
    await storeCall(() => this.#models.sessions.deleteOne({ _id: sessionId }));
  }

  async endByToken(text: string): Promise<void> {
    const [, sessionId, family] = tokenPattern.exec(text) ?? [];
    if (sessionId === undefined || family === undefined) return;
    const ended = { _id: sessionId, family_sha256: sha256(family) };
    await storeCall(() => this.#models.sessions.deleteOne(ended));
  }

  async endAll(account: string): Promise<void> {
    await storeCall(() => this.#models.sessions.deleteMany({ account }).hint('by_account'));
  }

  /** A session that has neither expired nor outlived its password. */
  async #findOpen(filter: { _id: string } & Partial<SessionDocument>): Promise<SessionDocument | undefined> {
    const found = await storeCall(() => this.#models.sessions.findOne(filter).lean());
    if (found === null || found.expires_at.getTime() <= this.#clock()) return undefined;
    const owner = await storeCall(() =>
      this.#models.accounts.findById(found.account, { password_hash: 1 }).lean(),
    );
    return owner !== null && sha256(owner.password_hash) === found.password_sha256 ? found : undefined;
  }
}

const random = (bytes: number) => randomBytes(bytes).toString('base64url');
const sha256 = (text: string) => hash('sha256', text, 'hex');
