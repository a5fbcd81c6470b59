import { hash, randomBytes } from 'node:crypto';
import { storeCall } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import type { RefreshToken, Sessions } from '../domain/sessions.ts';
import type { Models } from './models.ts';

const dayMs = 86_400_000;
/** A session that is not used for this long ends. */
const idleMs = 30 * dayMs;
/** However much it is used, a session ends after this long: then the password is asked for again. */
const longestMs = 90 * dayMs;
const secretBytes = 32;

const tokenPattern = /^(ses_[0-9A-Z]{26})\.([A-Za-z0-9_-]{43})$/;

/** Sessions in MongoDB. A token is kept as its SHA-256 only; replacing it is one compare-and-set. */
export class MongoSessions implements Sessions {
  readonly #models: Models;
  readonly #clock: () => number;

  constructor(models: Models, clock: () => number) {
    this.#models = models;
    this.#clock = clock;
  }

  async open(account: string): Promise<RefreshToken> {
    const nowMs = this.#clock();
    const sessionId = newId('ses', nowMs);
    const secret = newSecret();
    const expiresAt = new Date(nowMs + idleMs);
    await storeCall(() =>
      this.#models.sessions.create({
        _id: sessionId,
        account,
        secret_sha256: sha256(secret),
        created_at: new Date(nowMs),
        expires_at: expiresAt,
      }),
    );
    return { sessionId, text: `${sessionId}.${secret}`, expiresAt };
  }

  async renew(text: string): Promise<{ account: string; token: RefreshToken } | undefined> {
    const [, sessionId, secret] = tokenPattern.exec(text) ?? [];
    if (sessionId === undefined || secret === undefined) return undefined;
    const nowMs = this.#clock();
    const found = await storeCall(() => this.#models.sessions.findById(sessionId).lean());
    if (found === null || found.expires_at.getTime() <= nowMs) return undefined;
    const next = newSecret();
    const expiresAt = new Date(Math.min(nowMs + idleMs, found.created_at.getTime() + longestMs));
    const { matchedCount } = await storeCall(() =>
      this.#models.sessions.updateOne(
        { _id: sessionId, secret_sha256: sha256(secret) },
        { $set: { secret_sha256: sha256(next), expires_at: expiresAt } },
      ),
    );
    if (matchedCount === 0) {
      // Its current token is another one, so this one was used before: by whom, nobody can tell.
      await this.end(sessionId);
      return undefined;
    }
    return { account: found.account, token: { sessionId, text: `${sessionId}.${next}`, expiresAt } };
  }

  async isOpen(sessionId: string, account: string): Promise<boolean> {
    const found = await storeCall(() => this.#models.sessions.findOne({ _id: sessionId, account }).lean());
    return found !== null && found.expires_at.getTime() > this.#clock();
  }

  async end(sessionId: string): Promise<void> {
    await storeCall(() => this.#models.sessions.deleteOne({ _id: sessionId }));
  }

  async endByToken(text: string): Promise<void> {
    const [, sessionId, secret] = tokenPattern.exec(text) ?? [];
    if (sessionId === undefined || secret === undefined) return;
    await storeCall(() => this.#models.sessions.deleteOne({ _id: sessionId, secret_sha256: sha256(secret) }));
  }

  async endAll(account: string): Promise<void> {
    await storeCall(() => this.#models.sessions.deleteMany({ account }).hint('by_account'));
  }
}

const newSecret = () => randomBytes(secretBytes).toString('base64url');
const sha256 = (text: string) => hash('sha256', text, 'hex');
