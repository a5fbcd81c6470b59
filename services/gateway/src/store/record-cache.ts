import type { RedisClient } from '@sigcast/redis';
import type { ApiKey } from '../domain/api-key.ts';
import type { AccountState, KeyState } from '../domain/credentials.ts';
import { type AdmissionScripts, admissionScripts } from './scripts.ts';

/** How long a cache entry lives without a refresh: so long cached keys work while MongoDB is unavailable. */
const recordTtlMs = 3_600_000;
/** The greatest age of a read that may be cached. Far below `recordTtlMs`: an entry with a newer `rev` outlives every older read. */
const fillMaxAgeMs = 10_000;

/** The cache of keys and accounts in Redis. Gateways and operator commands write it. */
export class RecordCache {
  readonly #redis: RedisClient;
  readonly #scripts: AdmissionScripts;

  constructor(redis: RedisClient, scripts = admissionScripts()) {
    this.#redis = redis;
    this.#scripts = scripts;
  }

  /** `readAtMs`: when the read from MongoDB began, on Redis' clock; absent for a change that was just made. */
  async putKey(key: ApiKey, state: KeyState, readAtMs = 0): Promise<void> {
    const fields = ['revoked', state.revoked ? 1 : 0, 'expires', state.expiresAtMs ?? 0];
    await this.#put(keyRecord(key), state.rev, fields, readAtMs);
  }

  async putAccount(account: string, state: AccountState, readAtMs = 0): Promise<void> {
    const { perMinute, perDay } = state.limits;
    const fields = ['status', state.status, 'minute', perMinute, 'day', perDay];
    await this.#put(accountRecord(account), state.rev, fields, readAtMs);
  }

  /** Removes a key that does not exist in MongoDB any more. */
  async removeKey(key: ApiKey): Promise<void> {
    await this.#redis.del(keyRecord(key));
  }

  async #put(name: string, rev: number, fields: (string | number)[], readAtMs: number): Promise<void> {
    await this.#scripts.putRecord(this.#redis, [name], [readAtMs, fillMaxAgeMs, recordTtlMs, rev, ...fields]);
  }
}

export function keyRecord(key: ApiKey): string {
  return `{${key.account}}:key:${key.sha256}`;
}

export function accountRecord(account: string): string {
  return `{${account}}:account`;
}
