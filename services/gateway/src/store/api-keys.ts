import { randomBytes } from 'node:crypto';
import { storeCall } from '@sigcast/mongo';
import {
  type ApiKeys,
  createApiKey,
  type KeyChange,
  type KeyLimits,
  type KeyListing,
  noKeyLimits,
} from '../domain/api-key.ts';
import { insertKey, requireSlot } from './key-slots.ts';
import { expiringKeys, type KeyDocument, type Models, newRevision } from './models.ts';

/** API keys in MongoDB. Every change is one atomic write, which also marks the change for propagation. */
export class MongoApiKeys implements ApiKeys {
  readonly #models: Models;
  readonly #clock: () => number;

  constructor(models: Models, clock: () => number = Date.now) {
    this.#models = models;
    this.#clock = clock;
  }

  async create(given: {
    account: string;
    name: string;
    environment: string;
    expiresAt: Date | null;
    limits?: KeyLimits;
  }): Promise<KeyListing & { text: string }> {
    const { text, sha256, first, last } = createApiKey(given.account, randomBytes);
    const { limits = noKeyLimits } = given;
    const document: KeyDocument = {
      _id: sha256,
      account: given.account,
      name: given.name,
      environment: given.environment,
      first,
      last,
      created_at: new Date(this.#clock()),
      last_used_at: null,
      last_used_from: null,
      expires_at: given.expiresAt,
      revoked_at: null,
      scopes: limits.scopes,
      networks: limits.networks,
      per_minute: limits.perMinute,
      rev: 1,
    };
    await insertKey(this.#models, document);
    return { ...toListing(document), text };
  }

  /** @throws {SigcastError} CONFLICT when the account has the most keys allowed. */
  async requireRoom(account: string): Promise<void> {
    await requireSlot(this.#models, account, new Date(this.#clock()));
  }

  async list(account: string): Promise<KeyListing[]> {
    const found = await storeCall(() =>
      this.#models.keys.find({ account }).sort({ created_at: -1, _id: -1 }).hint('by_account').lean(),
    );
    return found.map(toListing);
  }

  async expire(key: KeyListing, at: Date): Promise<boolean> {
    const { sha256: _id, scopes, networks, perMinute, expiresAt } = key;
    const asRead = { _id, revoked_at: null, scopes, networks, per_minute: perMinute, expires_at: expiresAt };
    const expires_at = expiresAt !== null && expiresAt < at ? expiresAt : at;
    const { matchedCount } = await storeCall(() =>
      this.#models.keys.updateOne(asRead, { ...newRevision, $set: { expires_at, pending: true } }),
    );
    return matchedCount === 1;
  }

  async change(
    sha256: string,
    { name, scopes, networks, perMinute }: KeyChange,
  ): Promise<KeyListing | undefined> {
    const $set = {
      pending: true as const,
      ...(name !== undefined && { name }),
      ...(scopes !== undefined && { scopes }),
      ...(networks !== undefined && { networks }),
      ...(perMinute !== undefined && { per_minute: perMinute }),
    };
    const changed = await storeCall(() =>
      this.#models.keys
        .findOneAndUpdate(
          { _id: sha256, revoked_at: null },
          { ...newRevision, $set },
          { returnDocument: 'after' },
        )
        .lean(),
    );
    return changed === null ? undefined : toListing(changed);
  }

  async find(prefix: string): Promise<KeyListing[]> {
    const range = { $gte: prefix, $lt: `${prefix}g` }; // 'g' follows every hexadecimal digit
    const found = await storeCall(() => this.#models.keys.find({ _id: range }).limit(2).lean());
    return found.map(toListing);
  }

  async revoke(sha256: string): Promise<KeyListing | undefined> {
    const revoked = await storeCall(() =>
      this.#models.keys
        .findOneAndUpdate(
          { _id: sha256, revoked_at: null },
          {
            ...newRevision,
            $set: { revoked_at: new Date(this.#clock()), pending: true },
            $unset: { place: 1 },
          },
          { returnDocument: 'after' },
        )
        .lean(),
    );
    const found = revoked ?? (await storeCall(() => this.#models.keys.findById(sha256).lean()));
    return found === null ? undefined : toListing(found);
  }

  async revokeAll(account: string): Promise<KeyListing[]> {
    const valid = (await this.list(account)).filter(({ revokedAt }) => revokedAt === null);
    await Promise.all(valid.map(({ sha256 }) => this.revoke(sha256)));
    return valid;
  }

  /** The keys that expire after `from`, up to `until`, and were not revoked. */
  async *expiring(from: Date, until: Date): AsyncGenerator<KeyListing> {
    const filter = { place: { $exists: true }, expires_at: { $gt: from, $lte: until } };
    const read = this.#models.keys.find(filter).hint(expiringKeys).lean();
    // eslint-disable-next-line no-restricted-syntax -- a key whose end moves meanwhile is read by the next look
    for await (const found of read.cursor()) yield toListing(found);
  }
}

function toListing(document: KeyDocument): KeyListing {
  return {
    sha256: document._id,
    account: document.account,
    name: document.name,
    environment: document.environment,
    first: document.first,
    last: document.last,
    createdAt: document.created_at,
    lastUsedAt: document.last_used_at,
    lastUsedFrom: document.last_used_from,
    expiresAt: document.expires_at,
    revokedAt: document.revoked_at,
    scopes: document.scopes,
    networks: document.networks,
    perMinute: document.per_minute,
  };
}
