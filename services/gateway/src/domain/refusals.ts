import { type AccountRole, type ApiScope, SigcastError } from '@sigcast/contracts';
import type { ApiKey } from './api-key.ts';
import { putBounded } from './bounded-map.ts';
import type { Networks } from './networks.ts';
import { admits, type Count, countNow, reportUsage, type Usage } from './usage.ts';

/** One request in this time asks the stores whether a cached refusal of a caller still holds. */
const askEveryMs = 100;
/** How long a refusal for another reason than a limit is cached. */
const errorMaxAgeMs = 2 * askEveryMs;
/** How long a key that the store does not know is refused. No client can send a key before the key exists. */
const unknownForMs = 60_000;
/** Unfamiliar callers that are looked up in a second from one address that has used up its limit. */
const lookUpsPerSecond = 5;
/** Entries of each kind in the cache, at most. The oldest is dropped first. */
const maxEntries = 10_000;

/** A decision by counts. `degraded`: this process counted, because the shared counters are unavailable. */
export type Counted = { readonly admitted: boolean; readonly usage: Usage; readonly degraded: boolean };

/** The caller: an account with a key, or with a session of its holder. */
export type Caller = {
  readonly account: string;
  readonly key?: ApiKey;
  readonly session?: CallerSession;
  /** What the key may be used for, and from where; null for everything. */
  readonly scopes?: readonly ApiScope[] | null;
  readonly networks?: Networks | null;
};

/** The session of a caller, the person whose it is (by their own account), and their role in the account. */
export type CallerSession = {
  readonly sessionId: string;
  readonly person: string;
  readonly role: AccountRole;
};

/** Who makes a request, by the SHA-256 of a key or access token, and from which address. */
export type NamedCaller = { readonly name: string; readonly address: string };

export type CallerCounted = Counted & { readonly caller: Caller };

/** A refusal that the stores gave at `atMs`. The cache drops it at `endsMs`; one request asks the stores again at `askMs`. */
type CachedRefusal<T> = {
  readonly refusal: T;
  readonly atMs: number;
  readonly endsMs: number;
  askMs: number;
};

/**
 * Refusals that the process may repeat without asking a store, so that refused requests leave the stores to others.
 * The SHA-256 of a key or access token names a caller. Times are in milliseconds on a clock that never steps back.
 */
export class RefusalCache {
  readonly #clock: () => number;
  readonly #callers = new Map<string, CachedRefusal<CallerCounted | SigcastError>>();
  readonly #addresses = new Map<string, CachedRefusal<Counted>>();
  readonly #unknownUntilMs = new Map<string, number>();
  readonly #familiar = new Map<string, true>();
  readonly #lookUps = new Map<string, Count>();

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** The time to pass as `askedAtMs`: read it before asking the stores. */
  get nowMs(): number {
    return this.#clock();
  }

  /** The refusal to repeat to a caller; undefined where the stores should be asked. */
  ofCaller(name: string): CallerCounted | SigcastError | undefined {
    const cached = this.#find(this.#callers, name);
    if (cached === undefined || cached.refusal instanceof SigcastError) return cached?.refusal;
    return this.#refuseAgain(cached.refusal, cached.atMs);
  }

  /** The refusal to repeat to an address that has used up its limit; undefined where the counters should be asked. */
  ofAddress(address: string): Counted | undefined {
    const cached = this.#find(this.#addresses, address);
    return cached && this.#refuseAgain(cached.refusal, cached.atMs);
  }

  /** Whether the store did not know this key within the last minute. */
  isUnknown(sha256: string): boolean {
    return (this.#unknownUntilMs.get(sha256) ?? 0) > this.#clock();
  }

  /**
   * Notes a caller as familiar at its address and, if it has used up its limit, caches its refusal. `askedAtMs`: `nowMs` before
   * the counters were asked.
   */
  cacheCounted({ name, address }: NamedCaller, counted: CallerCounted, askedAtMs: number): void {
    putBounded(this.#familiar, `${address} ${name}`, true, maxEntries);
    const cached = this.#refusalOf(counted, { askedAtMs, askMs: askedAtMs + askEveryMs });
    this.#put<CallerCounted | SigcastError>(this.#callers, name, cached);
  }

  /** Caches the refusal of a key, session or account that is not valid. */
  cacheError({ name, address }: NamedCaller, error: SigcastError, askedAtMs: number): void {
    this.#callers.delete(name);
    this.#familiar.delete(`${address} ${name}`);
    if (this.isUnknown(name)) return;
    const [askMs, endsMs] = [askedAtMs + askEveryMs, askedAtMs + errorMaxAgeMs];
    this.#put(this.#callers, name, { refusal: error, atMs: this.#clock(), endsMs, askMs });
  }

  /** Caches the refusal of an address that has used up its limit, until its window ends: the limit of addresses never changes. */
  cacheAddress(address: string, counted: Counted, askedAtMs: number): void {
    const cached = this.#refusalOf(counted, { askedAtMs, askMs: Number.POSITIVE_INFINITY });
    this.#put(this.#addresses, address, cached);
  }

  /** Notes that the store does not know a key. */
  cacheUnknown(sha256: string): void {
    putBounded(this.#unknownUntilMs, sha256, this.#clock() + unknownForMs, maxEntries);
  }

  /**
   * Whether a caller from an address that has used up its limit may be looked up. A caller that is unfamiliar there, such as one
   * whose key must not be used from there, uses up one of the look-ups.
   */
  tryLookUp({ name, address }: NamedCaller): boolean {
    if (this.#familiar.has(`${address} ${name}`)) return true;
    const nowMs = this.#clock();
    const { used, endsMs } = countNow(this.#lookUps.get(address), nowMs, nowMs + 1_000);
    if (used >= lookUpsPerSecond) return false;
    putBounded(this.#lookUps, address, { used: used + 1, endsMs }, maxEntries);
    return true;
  }

  #find<T>(cache: Map<string, CachedRefusal<T>>, name: string): CachedRefusal<T> | undefined {
    const cached = cache.get(name);
    if (cached === undefined) return undefined;
    const nowMs = this.#clock();
    if (nowMs >= cached.endsMs) {
      cache.delete(name);
      return undefined;
    }
    if (nowMs >= cached.askMs) {
      cached.askMs = nowMs + askEveryMs; // this request asks; the others get the cached refusal meanwhile
      return undefined;
    }
    return cached;
  }

  /** The same refusal, with the time that is left now. */
  #refuseAgain<T extends Counted>(refusal: T, atMs: number): T {
    const usage = { ...refusal.usage, nowMs: refusal.usage.nowMs + this.#clock() - atMs };
    return { ...refusal, admitted: false, usage };
  }

  #put<T>(cache: Map<string, CachedRefusal<T>>, name: string, cached: CachedRefusal<T> | undefined): void {
    if (cached === undefined) cache.delete(name);
    else putBounded(cache, name, cached, maxEntries);
  }

  /** The entry to cache for a caller or address that has used up its limit; undefined for any other. */
  #refusalOf<T extends Counted>(
    refusal: T,
    { askedAtMs, askMs }: { askedAtMs: number; askMs: number },
  ): CachedRefusal<T> | undefined {
    if (admits(refusal.usage)) return undefined;
    const { headline, nowMs } = reportUsage(refusal.usage);
    // The counters answered after they were asked, so a refusal never lasts longer than their window.
    const endsMs = askedAtMs + headline.endsMs - nowMs;
    return { refusal, atMs: this.#clock(), endsMs, askMs };
  }
}
