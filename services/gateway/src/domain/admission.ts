import { type ErrorCode, SigcastError, unavailable } from '@sigcast/contracts';
import type { Credentials, KeyRepository, Limits } from './account.ts';
import { refusalOf, sessionLimits } from './account.ts';
import { type ApiKey, bearerToken, parseApiKey, sha256Of } from './api-key.ts';
import { looksLikeAccessToken, type SessionRepository } from './holder.ts';
import type { LocalCounters } from './local-counters.ts';
import { type CallerCounted, type Counted, RefusalCache } from './refusals.ts';
import { reportUsage, retryAfterS, type Usage, type UsageReport } from './usage.ts';

/** Requests without a valid key that one client address may make in a minute. */
export const addressLimit = 60;

/** What the shared counters say of a request with a key. `missing`: they hold no copy of the key or its account. */
export type SharedVerdict =
  | { readonly kind: 'admitted' | 'limited'; readonly usage: Usage }
  | { readonly kind: 'missing'; readonly askedAtMs: number }
  | { readonly kind: 'revoked' | 'expired' | 'suspended' };

/** `away`: the store did not answer in time, or is known not to. */
export type Unavailable = 'unavailable';

/** Counters and copies of key records that all gateways share. */
export type SharedCounters = {
  /** Checks the key and both windows and charges both or neither, in one step. */
  admitKey(key: ApiKey): Promise<SharedVerdict | Unavailable>;
  /** Checks both windows of an account's sessions, whose limits are given, and charges both or neither. */
  admitSession(account: string, limits: Limits): Promise<{ admitted: boolean; usage: Usage } | Unavailable>;
  /** Admits one request from an address if its minute has room. */
  admitAddress(address: string, limit: number): Promise<{ admitted: boolean; usage: Usage } | Unavailable>;
  /** Admits one attempt under a name of its own, within a limit and window of its own. */
  admitNamed(
    name: string,
    rule: { limit: number; windowMs: number },
  ): Promise<{ admitted: boolean; usage: Usage } | Unavailable>;
  /** Takes back one attempt under a name, if one is counted. */
  refund(name: string): Promise<void>;
  /** Requests an account's keys were admitted today. */
  usedToday(account: string): Promise<number | Unavailable>;
  /** Puts copies in, unless newer ones are there or `askedAtMs` (on the counters' clock) is too long ago. */
  fill(key: ApiKey, found: Credentials, askedAtMs: number): Promise<void>;
};

/** What becomes of a request, and what its answer says about limits. */
export type Admission = {
  readonly report: UsageReport;
  /** Counted in the process alone, because the shared counters are away. */
  readonly degraded: boolean;
} /** `key` is absent, and `sessionId` there, when it was the account's holder who asked, signed in. */ & (
  | { readonly admitted: true; readonly account: string; readonly key?: ApiKey; readonly sessionId?: string }
  /** `account` is there, and `key` if it was one, when the key or session is good and only the limit stood in the way. */
  | {
      readonly admitted: false;
      readonly error: SigcastError;
      readonly account?: string;
      readonly key?: ApiKey;
      /** Whose key it is, where there is such a key that is good no more. For logs alone: nobody else is told. */
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

/** Says of each request whether it may pass: a live key or session, an active account, and room in its windows. */
export class AdmissionController {
  readonly #deps: AdmissionDeps;
  readonly #refusals = new RefusalCache();

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /** Never rejects but for a bug: what goes wrong with a store is part of the answer. */
  async admit(authorization: string | undefined, address: string): Promise<Admission> {
    const token = bearerToken(authorization);
    if (token === undefined) return this.#withoutKey(address, unauthorized());
    const key = parseApiKey(token);
    if (key === undefined && !looksLikeAccessToken(token)) return this.#withoutKey(address, unauthorized());
    const caller = key?.sha256 ?? sha256Of(token);
    const refused = this.#refusals.ofCaller(caller);
    if (refused instanceof SigcastError) return this.#withoutKey(address, refused);
    if (refused !== undefined) return admissionOf(refused);
    if (this.#refusals.isUnknown(caller)) return this.#withoutKey(address, unauthorized());
    // Most callers behind such an address are made up or dead; but a good one may be behind it, too.
    const exhausted = this.#refusals.ofAddress(address);
    if (exhausted !== undefined && !this.#refusals.tryLookUp(address, caller)) {
      return refuse(exhausted, unauthorized());
    }
    const askedAtMs = this.#refusals.nowMs;
    const counted = await (key === undefined ? this.#countSession(token) : this.#countKey(key));
    if (counted instanceof SigcastError) {
      if (counted.code === 'SERVICE_UNAVAILABLE') return this.#duringOutage(caller, address, counted);
      this.#refusals.cacheError(caller, counted, askedAtMs);
      return this.#withoutKey(address, counted);
    }
    this.#refusals.cacheCounted(caller, counted, askedAtMs);
    return admissionOf(counted);
  }

  async #countKey(key: ApiKey): Promise<CallerCounted | SigcastError> {
    let verdict: SharedVerdict | Unavailable | SigcastError = await this.#deps.shared.admitKey(key);
    if (verdict !== 'unavailable' && verdict.kind === 'missing')
      verdict = await this.#fill(key, verdict.askedAtMs);
    if (verdict instanceof SigcastError) return verdict;
    if (verdict === 'unavailable') return this.#countLocally(key);
    // Still missing: the copy came too late, or the store lost it at once.
    if (verdict.kind === 'missing') return unavailable('The key store');
    if (!('usage' in verdict)) return refusalErrors[verdict.kind](key);
    const { kind, usage } = verdict;
    this.#deps.local.note('keys', key.account, usage);
    return { caller: { account: key.account, key }, admitted: kind === 'admitted', usage, degraded: false };
  }

  /**
   * A missing copy is filled from the truth and the counters are asked again: what was read is never acted upon
   * itself, so a revocation that came in between is seen.
   */
  async #fill(key: ApiKey, askedAtMs: number): Promise<SharedVerdict | Unavailable | SigcastError> {
    const { shared } = this.#deps;
    const found = await this.#find(key);
    if (found instanceof SigcastError) return found;
    await shared.fill(key, found, askedAtMs);
    return shared.admitKey(key);
  }

  async #countLocally(key: ApiKey): Promise<CallerCounted | SigcastError> {
    const found = await this.#find(key);
    if (found instanceof SigcastError) return found;
    const refusal = refusalOf(found, this.#deps.clock());
    if (refusal !== undefined) return refusalErrors[refusal](key);
    const counted = this.#deps.local.admitAccount('keys', key.account, found.account.limits);
    return { caller: { account: key.account, key }, ...counted, degraded: true };
  }

  /**
   * The account's holder, signed in: counted in windows of the account's sessions, so that the dashboard takes nothing
   * from the keys. The stores are asked about each request that may be admitted, so nothing is admitted after the
   * session ended.
   */
  async #countSession(accessToken: string): Promise<CallerCounted | SigcastError> {
    const { shared, local } = this.#deps;
    const found = await orError(this.#deps.sessions.find(accessToken));
    if (found instanceof SigcastError) return found;
    const { account, sessionId } = found;
    const limits = sessionLimits(found.limits);
    const caller = { account, sessionId };
    const counted = await shared.admitSession(account, limits);
    if (counted === 'unavailable') {
      return { caller, ...local.admitAccount('sessions', account, limits), degraded: true };
    }
    local.note('sessions', account, counted.usage);
    return { caller, ...counted, degraded: false };
  }

  async #find(key: ApiKey): Promise<Credentials | SigcastError> {
    const found = await orError(this.#deps.keyRepository.find(key));
    if (found !== undefined) return found;
    this.#refusals.cacheUnknown(key.sha256);
    return unauthorized();
  }

  /**
   * An outage says nothing of who asked: a refusal that was certain before still is, and the address is not charged. Else
   * refused load would come to the stores as soon as they fail, and good clients would be refused after it.
   */
  #duringOutage(caller: string, address: string, error: SigcastError): Admission {
    const refused = this.#refusals.ofCaller(caller);
    if (refused !== undefined && !(refused instanceof SigcastError)) return admissionOf(refused);
    const usage = this.#deps.local.usageOf(address, addressLimit);
    return refuse({ admitted: true, usage, degraded: true }, refused ?? error);
  }

  /** Counts a request that no account pays for against the client's address. */
  async #withoutKey(address: string, error: SigcastError): Promise<Admission> {
    return refuse(this.#refusals.ofAddress(address) ?? (await this.#countAddress(address)), error);
  }

  async #countAddress(address: string): Promise<Counted> {
    const askedAtMs = this.#refusals.nowMs;
    const counted = await this.#deps.shared.admitAddress(address, addressLimit);
    if (counted === 'unavailable')
      return { ...this.#deps.local.admitAddress(address, addressLimit), degraded: true };
    this.#refusals.cacheAddress(address, { ...counted, degraded: false }, askedAtMs);
    return { ...counted, degraded: false };
  }
}

/** What was found, or why it was not. Only a bug rejects. */
async function orError<T>(work: Promise<T>): Promise<T | SigcastError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SigcastError) return error;
    throw error;
  }
}

function admissionOf({ caller, admitted, usage, degraded }: CallerCounted): Admission {
  const report = reportUsage(usage);
  if (admitted) return { admitted, report, degraded, ...caller };
  const { name, limit } = report.headline;
  const { account, key } = caller;
  const whose = key === undefined ? 'dashboard’s limit' : 'limit';
  const error = tooMany(report, `Over the ${whose} of ${limit} requests a ${name}`);
  return { admitted, report, degraded, account, ...(key && { key }), error };
}

/** Refuses a request that no account pays for. Over the address' limit, that is the answer. */
function refuse({ admitted, usage, degraded }: Counted, error: SigcastError): Admission {
  const report = reportUsage(usage);
  const dead = error instanceof DeadKey ? { deadKey: error.key } : {};
  return { admitted: false, report, degraded, error: admitted ? error : tooManyWithoutKey(report), ...dead };
}

function tooManyWithoutKey(report: UsageReport): SigcastError {
  return tooMany(report, 'Too many requests without a valid API key');
}

function tooMany(report: UsageReport, what: string): SigcastError {
  const seconds = retryAfterS(report);
  return new SigcastError('RATE_LIMIT_EXCEEDED', `${what}; try again in ${seconds} s`, {
    retryAfterS: seconds,
  });
}

const unauthorizedMessage = 'Invalid or missing API key';
const unauthorized = () => new SigcastError('UNAUTHORIZED', unauthorizedMessage);

/** The refusal of a key that there is, and that is good no more. */
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
