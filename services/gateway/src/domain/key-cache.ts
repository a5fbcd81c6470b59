import type { ApiKey } from './api-key.ts';
import { putBounded } from './bounded-map.ts';
import type { Credentials, KeyRepository } from './credentials.ts';

/** Keys in memory, at most: some 30 MB. The key that was read longest ago is dropped first. */
const maxKeys = 100_000;
/** A key that was read longer ago is read again in the background, so that a changed plan takes effect within a minute. */
export const readAgainAfterMs = 60_000;

/** A key as it was when its account had this stamp. */
export type CachedKey = { readonly found: Credentials; readonly stamp: string; readAgainAtMs: number };

/**
 * The keys that this process has read. A key is current as long as its account still has the stamp that was known before the
 * key was read: every change of the account or of one of its keys ends the stamp.
 */
export class KeyCache {
  readonly #repository: KeyRepository;
  /** A clock that never jumps. */
  readonly #nowMs: () => number;
  readonly #keys = new Map<string, CachedKey>();
  /** The reads under way, by key and stamp: of hundreds of requests that miss a key at once, one reads it. */
  readonly #reads = new Map<string, Promise<Credentials | undefined>>();

  constructor(repository: KeyRepository, nowMs = () => performance.now()) {
    this.#repository = repository;
    this.#nowMs = nowMs;
  }

  get(key: ApiKey): CachedKey | undefined {
    const cached = this.#keys.get(key.sha256);
    if (cached === undefined || this.#nowMs() < cached.readAgainAtMs) return cached;
    cached.readAgainAtMs = this.#nowMs() + readAgainAfterMs;
    this.read(key, cached.stamp).catch(() => undefined); // while MongoDB is away the key stays as it is
    return cached;
  }

  /**
   * Reads a key whose account has this stamp, and keeps it. Undefined where there is no such key.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when the store can't be asked.
   */
  read(key: ApiKey, stamp: string): Promise<Credentials | undefined> {
    const name = `${key.sha256} ${stamp}`;
    const underWay = this.#reads.get(name);
    if (underWay !== undefined) return underWay;
    const read = this.#readAndKeep(key, stamp).finally(() => this.#reads.delete(name));
    this.#reads.set(name, read);
    return read;
  }

  async #readAndKeep(key: ApiKey, stamp: string): Promise<Credentials | undefined> {
    const found = await this.#repository.find(key);
    if (found === undefined) this.#keys.delete(key.sha256);
    else {
      const readAgainAtMs = this.#nowMs() + readAgainAfterMs;
      putBounded(this.#keys, key.sha256, { found, stamp, readAgainAtMs }, maxKeys);
    }
    return found;
  }
}
