import { type ApiScope, type ErrorCode, SigcastError, unavailable } from '@sigcast/contracts';
import { type ApiKey, bearerToken, keyIdOf, parseApiKey, sha256Of } from './api-key.ts';
import { type Credentials, type KeyRepository, refusalOf } from './credentials.ts';
import { type FoundSession, looksLikeAccessToken, type SessionRepository } from './holder.ts';
import { KeyCache } from './key-cache.ts';
import type { LocalCounters, OwnLimit } from './local-counters.ts';
import { type Limits, sessionLimits } from './plan.ts';
import {
  type CallerCounted,
  type CallerSession,
  type Counted,
  type NamedCaller,
  RefusalCache,
} from './refusals.ts';
import { type KeyUse, RestrictedKey, restrictionOf } from './restrictions.ts';
import { reportUsage, tooMany, type Usage, type UsageReport } from './usage.ts';

/** Requests without a valid key that one client address may make in a minute. */
export const addressLimit = 60;

/** The limits for a request that is to be refused whatever its account has used. */
const nothing: Limits = { perMinute: 0, perDay: 0 };
/** How often one request reads its key: it is read again only when the account changes during the read. */
const maxReads = 3;

/** The shared counters' decision about a request with a key. `stale`: the account has another stamp, and nothing is counted. */
export type SharedVerdict =
  | { readonly kind: 'admitted' | 'limited'; readonly usage: Usage }
  | { readonly kind: 'stale'; readonly stamp: string };

/** Redis did not answer in time, or its circuit breaker is open. */
export type Unavailable = 'unavailable';

/** Counters and stamps of accounts that all gateways share. */
export type SharedCounters = {
  /**
   * In one step, checks that the account still has this stamp and counts the request in both windows of the account's keys
   * and in that of a key with a limit of its own, or in none. It counts as `cost` requests, or as many as a window has left.
   */
  admitKey(
    account: string,
    given: {
      readonly stamp: string | undefined;
      readonly limits: Limits;
      readonly cost: number;
      readonly own?: OwnLimit | undefined;
    },
  ): Promise<SharedVerdict | Unavailable>;
  /** Counts the request in the same way in both windows of the account's sessions, or in none when one is full. */
  admitSession(
    account: string,
    limits: Limits,
    cost: number,
  ): Promise<{ admitted: boolean; usage: Usage } | Unavailable>;
  /** Counts one request from an address, unless its minute is full. */
  admitAddress(address: string, limit: number): Promise<{ admitted: boolean; usage: Usage } | Unavailable>;
  /** Counts one attempt under a name, unless the window of that name is full. */
  admitNamed(
    name: string,
    rule: { limit: number; windowMs: number },
  ): Promise<{ admitted: boolean; usage: Usage } | Unavailable>;
  /** Takes back one attempt under a name, if one is counted. */
  refund(name: string): Promise<undefined | Unavailable>;
  /** How many requests of an account's keys were admitted today. */
  usedToday(account: string): Promise<number | Unavailable>;
};

/** The decision about a request, and what its answer says about limits. */
export type Admission = {
  readonly report: UsageReport;
  /** Counted in this process only, because the shared counters are unavailable. */
  readonly degraded: boolean;
} /** The request has either `key` or, when it comes from somebody signed in, `session`. */ & (
  | {
      readonly admitted: true;
      readonly account: string;
      readonly key?: ApiKey;
      readonly session?: CallerSession;
      /** What its key may be used for; null or absent: everything. */
      readonly scopes?: readonly ApiScope[] | null;
    }
  /**
   * `account` is set when key or session are valid and only the limit is exceeded, or the key may not be used so; `key` too, if
   * the request has one.
   */
  | {
      readonly admitted: false;
      readonly error: SigcastError;
      readonly account?: string;
      readonly key?: ApiKey;
      /** Whether the only reason is a limit of the account or of its key. */
      readonly isOverLimit?: true;
      /** The key when it is revoked or expired, or its account is suspended. Only for logs: the client is not told. */
      readonly deadKey?: ApiKey;
    }
);

export type AdmissionDeps = {
  readonly shared: SharedCounters;
  readonly keyRepository: KeyRepository;
  readonly sessions: SessionRepository;
  readonly local: LocalCounters;
  readonly clock: () => number;
};

/**
 * What a request costs, and how it uses its key: where its address has no other name, `from` is the one that is counted. A cost
 * of 0 counts nothing of an account, and is refused as other requests are.
 */
export type AskedFor = { readonly cost?: number } & Partial<KeyUse>;

/** What a request costs and how it uses its key. */
type Asked = { readonly cost: number; readonly use: KeyUse };

/**
 * Decides for each request whether it is admitted: a valid key or session, an active account, what the key may be used for, and
 * room in its windows.
 */
export class AdmissionController {
  readonly #deps: AdmissionDeps;
  readonly #refusals = new RefusalCache();
  readonly #keys: KeyCache;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.#keys = new KeyCache(deps.keyRepository);
  }

  /**
   * Decides about one request from an address (as requests are counted), which counts as `cost` requests of its account.
   * Only a bug rejects: a failure of a store is part of the returned decision.
   */
  async admit(
    authorization: string | undefined,
    address: string,
    { cost = 1, scope, from = address }: AskedFor = {},
  ): Promise<Admission> {
    const token = bearerToken(authorization);
    if (token === undefined) return this.#withoutKey(address, unauthorized());
    const key = parseApiKey(token);
    if (key === undefined && !looksLikeAccessToken(token)) return this.#withoutKey(address, unauthorized());
    const caller = { name: key?.sha256 ?? sha256Of(token), address };
    const use = { scope, from };
    const refused = this.#cachedRefusal(caller, use);
    if (refused instanceof SigcastError) return this.#withoutKey(address, refused);
    if (refused !== undefined) return admissionOf(refused);
    if (this.#refusals.isUnknown(caller.name)) return this.#withoutKey(address, unauthorized());
    // Most callers from an address that is over its limit have no valid key, but some may: a few are looked up.
    const exhausted = this.#refusals.ofAddress(address);
    if (exhausted !== undefined && !this.#refusals.tryLookUp(caller)) {
      return refuse(exhausted, unauthorized());
    }
    const askedAtMs = this.#refusals.nowMs;
    try {
      const counted = await (key === undefined
        ? this.#countSession(token, cost)
        : this.#countKey(key, { cost, use }));
      this.#refusals.cacheCounted(caller, counted, askedAtMs);
      return admissionOf(counted);
    } catch (error) {
      if (!(error instanceof SigcastError)) throw error;
      // Not cached: the same key may be used otherwise, and whoever widens it uses it at once.
      if (error instanceof RestrictedKey) return this.#withoutKey(address, error);
      if (error.code === 'SERVICE_UNAVAILABLE') return this.#duringOutage(caller, use, error);
      this.#refusals.cacheError(caller, error, askedAtMs);
      return this.#withoutKey(address, error);
    }
  }

  /**
   * The refusal to repeat to a caller; undefined where the stores should be asked. Whoever may not use a key so learns nothing of
   * its limits.
   */
  #cachedRefusal({ name }: NamedCaller, use: KeyUse): CallerCounted | SigcastError | undefined {
    const refused = this.#refusals.ofCaller(name);
    if (refused === undefined || refused instanceof SigcastError) return refused;
    const { key, scopes = null, networks = null } = refused.caller;
    const isRestricted = key !== undefined && restrictionOf({ scopes, networks }, use, key) !== undefined;
    return isRestricted ? undefined : refused;
  }

  /**
   * Looks at the key or session of an admitted request again.
   * @returns the session as it is now; undefined for a key.
   * @throws {SigcastError} when it is not valid any more, may not be used so any more, or the store can't be asked.
   */
  async confirm(
    authorization: string | undefined,
    key: ApiKey | undefined,
    use: KeyUse,
  ): Promise<FoundSession | undefined> {
    if (key === undefined) return this.#deps.sessions.find(bearerToken(authorization) ?? '');
    const found = await this.#deps.keyRepository.find(key);
    const refusal = found === undefined ? refusalErrors.revoked(key) : this.#refuse(found, key, use);
    if (refusal !== undefined) throw refusal;
    return undefined;
  }

  /** The refusal of this use of a key as it was found; undefined where it may be used so. */
  #refuse(found: Credentials, key: ApiKey, use: KeyUse): SigcastError | undefined {
    const refusal = refusalOf(found, this.#deps.clock());
    return refusal === undefined ? restrictionOf(found.restrictions, use, key) : refusalErrors[refusal](key);
  }

  /** @throws {SigcastError} when the key is not valid, or no store can tell. */
  async #countKey(key: ApiKey, { cost, use }: Asked): Promise<CallerCounted> {
    const { shared, local } = this.#deps;
    const { account } = key;
    for (let reads = 0; ; reads += 1) {
      const cached = this.#keys.get(key);
      const refusal = cached && this.#refuse(cached.found, key, use);
      const limits = cached === undefined || refusal !== undefined ? nothing : cached.found.limits;
      const own = cached && ownLimit(key, cached.found);
      const verdict = await shared.admitKey(account, { stamp: cached?.stamp, limits, cost, own });
      if (verdict === 'unavailable') return this.#countLocally(key, { cost, use });
      if (verdict.kind !== 'stale') {
        if (refusal !== undefined) throw refusal;
        const { kind, usage } = verdict;
        local.note('keys', account, usage, own);
        const { scopes = null, networks = null } = cached?.found.restrictions ?? {};
        const caller = { account, key, scopes, networks };
        return { caller, admitted: kind === 'admitted', usage, degraded: false };
      }
      if (reads === maxReads) throw unavailable('The key store');
      this.#known(key, await this.#keys.read(key, verdict.stamp));
    }
  }

  async #countLocally(key: ApiKey, { cost, use }: Asked): Promise<CallerCounted> {
    const found = this.#known(key, await this.#deps.keyRepository.find(key));
    const refusal = this.#refuse(found, key, use);
    if (refusal !== undefined) throw refusal;
    const { account } = key;
    const { scopes, networks } = found.restrictions;
    const counted = this.#deps.local.admitAccount('keys', account, found.limits, cost, ownLimit(key, found));
    return { caller: { account, key, scopes, networks }, ...counted, degraded: true };
  }

  /**
   * Counts a request of a signed-in account holder in the windows of the account's sessions, so that the dashboard takes
   * nothing from the keys. Each request looks the session up, so that nothing is admitted after the session has ended.
   */
  async #countSession(accessToken: string, cost: number): Promise<CallerCounted> {
    const { shared, local } = this.#deps;
    const found = await this.#deps.sessions.find(accessToken);
    const { account, sessionId, person, role } = found;
    const limits = sessionLimits(found.limits);
    const caller = { account, session: { sessionId, person, role } };
    const counted = await shared.admitSession(account, limits, cost);
    if (counted === 'unavailable') {
      return { caller, ...local.admitAccount('sessions', account, limits, cost), degraded: true };
    }
    local.note('sessions', account, counted.usage);
    return { caller, ...counted, degraded: false };
  }

  /** What the store found of a key. @throws {SigcastError} UNAUTHORIZED where it found nothing, which is cached. */
  #known(key: ApiKey, found: Credentials | undefined): Credentials {
    if (found !== undefined) return found;
    this.#refusals.cacheUnknown(key.sha256);
    throw unauthorized();
  }

  /**
   * Decides while the stores are unavailable. A cached refusal stays in force. Otherwise the request is refused without
   * counting it against the address: valid clients must not be over the address's limit after the outage.
   */
  #duringOutage(caller: NamedCaller, use: KeyUse, error: SigcastError): Admission {
    const refused = this.#cachedRefusal(caller, use);
    if (refused !== undefined && !(refused instanceof SigcastError)) return admissionOf(refused);
    const usage = this.#deps.local.usageOf(caller.address, addressLimit);
    return refuse({ admitted: true, usage, degraded: true }, refused ?? error);
  }

  /** Counts a request without a valid key or session against the client's address. */
  async #withoutKey(address: string, error: SigcastError): Promise<Admission> {
    return refuse(this.#refusals.ofAddress(address) ?? (await this.#countAddress(address)), error);
  }

  async #countAddress(address: string): Promise<Counted> {
    const askedAtMs = this.#refusals.nowMs;
    const counted = await this.#deps.shared.admitAddress(address, addressLimit);
    if (counted === 'unavailable')
      return { ...this.#deps.local.admitNamed(address, addressLimit), degraded: true };
    this.#refusals.cacheAddress(address, { ...counted, degraded: false }, askedAtMs);
    return { ...counted, degraded: false };
  }
}

/** The limit of a key that has one of its own. */
function ownLimit({ sha256 }: ApiKey, { restrictions: { perMinute } }: Credentials): OwnLimit | undefined {
  return perMinute === null ? undefined : { name: keyIdOf(sha256), limit: perMinute };
}

function admissionOf({ caller, admitted, usage, degraded }: CallerCounted): Admission {
  const report = reportUsage(usage);
  if (admitted) return { admitted, report, degraded, ...caller };
  const { name, limit } = report.headline;
  const { account, key } = caller;
  const isOwn = name === 'key';
  const whose = key === undefined ? 'dashboard’s limit' : isOwn ? 'API key’s own limit' : 'limit';
  const error = tooMany(report, `Over the ${whose} of ${limit} requests a ${isOwn ? 'minute' : name}`);
  return { admitted, report, degraded, account, ...(key && { key }), error, isOverLimit: true };
}

/**
 * The refusal of a request without a valid key, or with one that may not be used so. When the address has used up its limit,
 * that is the error.
 */
function refuse({ admitted, usage, degraded }: Counted, error: SigcastError): Admission {
  const report = reportUsage(usage);
  const whose = error instanceof DeadKey ? { deadKey: error.key } : {};
  if (!(error instanceof RestrictedKey)) {
    return {
      admitted: false,
      report,
      degraded,
      error: admitted ? error : tooManyWithoutKey(report),
      ...whose,
    };
  }
  const { key } = error;
  const refusal = admitted ? error : tooMany(report, 'Too many requests that their API key does not allow');
  return { admitted: false, report, degraded, error: refusal, account: key.account, key };
}

function tooManyWithoutKey(report: UsageReport): SigcastError {
  return tooMany(report, 'Too many requests without a valid API key');
}

const unauthorizedMessage = 'Invalid or missing API key';
const unauthorized = () => new SigcastError('UNAUTHORIZED', unauthorizedMessage);

/** The refusal of a key that is revoked or expired, or whose account is suspended. */
class DeadKey extends SigcastError {
  readonly key: ApiKey;

  constructor(key: ApiKey, code: ErrorCode, message: string) {
    super(code, message);
    this.key = key;
  }
}

const refusalErrors = {
  revoked: (key: ApiKey) => new DeadKey(key, 'UNAUTHORIZED', unauthorizedMessage),
  expired: (key: ApiKey) =>
    new DeadKey(key, 'KEY_EXPIRED', 'This API key has expired; please generate a new one'),
  suspended: (key: ApiKey) => new DeadKey(key, 'FORBIDDEN', 'This account is suspended'),
};
