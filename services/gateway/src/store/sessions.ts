import { createHmac, hash, randomBytes } from 'node:crypto';
import { storeCall } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import type { RefreshToken, Sessions } from '../domain/sessions.ts';
import type { Models, SessionDocument } from './models.ts';

const dayMs = 86_400_000;
/** A session that is not used for this long ends. */
const idleMs = 30 * dayMs;
/** However much it is used, a session ends after this long: then the password is asked for again. */
const maxLifetimeMs = 90 * dayMs;
/**
 * So long a replaced token still gives its successor: the answer that brought it may have been lost, or the page been
 * left before it came. Short, because a stolen copy is as good meanwhile.
 */
const successorForMs = 60_000;
const familyBytes = 16;
const secretBytes = 32;

const tokenPattern = /^(ses_[0-9A-Z]{26})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/**
 * Sessions in MongoDB. A token is kept as SHA-256 only; replacing it is one compare-and-set. Its successor is computed
 * from it and a key of the session's, so that asking twice gives the same one, and neither can be made up from what
 * is stored or from the token alone.
 */
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
        succession_key: random(secretBytes),
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
    const nowMs = this.#clock();
    const used = sha256(secret);
    const next = createHmac('sha256', found.succession_key).update(secret).digest('base64url');
    const expiresAt = new Date(Math.min(nowMs + idleMs, found.created_at.getTime() + maxLifetimeMs));
    const { matchedCount } = await storeCall(() =>
      this.#models.sessions.updateOne(
        { _id: sessionId, secret_sha256: used },
        {
          $set: {
            secret_sha256: sha256(next),
            replaced_sha256: used,
            replaced_at: new Date(nowMs),
            expires_at: expiresAt,
          },
        },
      ),
    );
    if (matchedCount === 0 && !(await this.#wasJustReplaced(sessionId, used))) {
      // One of this session's tokens, but an older one. Who else has a copy, nobody can tell.
      await this.end(sessionId);
      return undefined;
    }
    return {
      account: found.account,
      token: { sessionId, text: `${sessionId}.${family}.${next}`, expiresAt },
    };
  }

  async #wasJustReplaced(sessionId: string, secretSha256: string): Promise<boolean> {
    const since = new Date(this.#clock() - successorForMs);
    const replaced = { _id: sessionId, replaced_sha256: secretSha256, replaced_at: { $gt: since } };
    return (await storeCall(() => this.#models.sessions.exists(replaced))) !== null;
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
    const found = await storeCall(() =>
      this.#models.sessions.findOne({ ...filter, succession_key: { $exists: true } }).lean(),
    );
    if (found === null || found.expires_at.getTime() <= this.#clock()) return undefined;
    const owner = await storeCall(() =>
      this.#models.accounts.findById(found.account, { password_hash: 1 }).lean(),
    );
    return owner !== null && sessionHasPassword(found, owner.password_hash) ? found : undefined;
  }
}

/** Whether a session began with the password that its account has now. */
export function sessionHasPassword(
  { password_sha256 }: Pick<SessionDocument, 'password_sha256'>,
  passwordHash: string,
): boolean {
  return sha256(passwordHash) === password_sha256;
}

const random = (bytes: number) => randomBytes(bytes).toString('base64url');
const sha256 = (text: string) => hash('sha256', text, 'hex');
