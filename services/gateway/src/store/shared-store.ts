import type { RedisClient } from '@sigcast/redis';
import type { AccountState, Credentials, KeyState, Limits } from '../domain/account.ts';
import type { SharedCounters, SharedVerdict, Unavailable } from '../domain/admission.ts';
import type { ApiKey } from '../domain/api-key.ts';
import { accountUsage, type Usage } from '../domain/usage.ts';
import type { AskRedis } from './ask-redis.ts';
import { type AdmissionScripts, admissionScripts, verdicts } from './scripts.ts';

/** A cache entry older than this is refreshed in the background, so that a changed plan takes effect within a minute. */
export const refreshAfterMs = 60_000;
/** How long a cache entry lives without a refresh: so long cached keys work while MongoDB is unavailable. */
const recordTtlMs = 3_600_000;
/** The greatest age of a read that may be cached. Far below `recordTtlMs`: an entry with a newer `rev` outlives every older read. */
const fillMaxAgeMs = 10_000;

const kindOf = Object.fromEntries(
  Object.entries(verdicts).map(([kind, code]) => [code, kind as keyof typeof verdicts]),
);

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

/** What a script about windows returns. */
type Numbers = Promise<readonly number[]>;

export type RedisCountersOptions = {
  readonly redis: RedisClient;
  readonly ask: AskRedis;
  readonly windowMs: number;
  /** Called when a cache entry is to be refreshed; must not throw. */
  readonly onStale: (key: ApiKey, nowMs: number) => void;
  readonly scripts?: AdmissionScripts;
};

/** Counters and cached records in Redis. A decision takes one round trip. */
export class RedisCounters implements SharedCounters {
  readonly #redis: RedisClient;
  readonly #ask: AskRedis;
  readonly #windowMs: number;
  readonly #onStale: RedisCountersOptions['onStale'];
  readonly #cache: RecordCache;
  readonly #scripts: AdmissionScripts;

  constructor(options: RedisCountersOptions) {
    this.#redis = options.redis;
    this.#ask = options.ask;
    this.#windowMs = options.windowMs;
    this.#onStale = options.onStale;
    this.#scripts = options.scripts ?? admissionScripts();
    this.#cache = new RecordCache(options.redis, this.#scripts);
  }

  async admitKey(key: ApiKey): Promise<SharedVerdict | Unavailable> {
    const windows = accountWindows(key.account);
    const keys = [keyRecord(key), accountRecord(key.account), windows];
    const answer = await this.#ask(
      windows,
      () => this.#scripts.admitKey(this.#redis, keys, [this.#windowMs, refreshAfterMs]) as Numbers,
    );
    if (answer === 'unavailable') return answer;
    const [code = -1, nowMs = 0] = answer;
    if (answer[8] === 1) this.#onStale(key, nowMs);
    const kind = kindOf[code];
    if (kind === undefined) throw new Error(`the admission script returned ${code}`);
    if (kind === 'missing') return { kind, askedAtMs: nowMs };
    if (kind !== 'admitted' && kind !== 'limited') return { kind };
    return { kind, usage: this.#accountUsage(answer) };
  }

  async admitSession(account: string, { perMinute, perDay }: Limits) {
    const answer = await this.#ask(
      sessionWindows(account),
      (windows) =>
        this.#scripts.admitSession(this.#redis, [windows], [this.#windowMs, perMinute, perDay]) as Numbers,
    );
    if (answer === 'unavailable') return answer;
    return { admitted: answer[0] === verdicts.admitted, usage: this.#accountUsage(answer) };
  }

  admitAddress(address: string, limit: number): Promise<{ admitted: boolean; usage: Usage } | Unavailable> {
    return this.admitNamed(`address:${address}`, { limit, windowMs: this.#windowMs });
  }

  async admitNamed(name: string, { limit, windowMs }: { limit: number; windowMs: number }) {
    const answer = await this.#ask(
      namedWindow(name),
      (window) => this.#scripts.admitNamed(this.#redis, [window], [windowMs, limit]) as Numbers,
    );
    if (answer === 'unavailable') return answer;
    const [admitted, nowMs = 0, used = 0, endsMs = 0] = answer;
    return { admitted: admitted === 1, usage: { nowMs, windowMs, minute: { used, endsMs, limit } } };
  }

  async refund(name: string): Promise<void> {
    await this.#ask(namedWindow(name), (window) => this.#scripts.refund(this.#redis, [window], []));
  }

  usedToday(account: string): Promise<number | Unavailable> {
    return this.#ask(
      accountWindows(account),
      (windows) => this.#scripts.usedToday(this.#redis, [windows], []) as Promise<number>,
    );
  }

  async fill(key: ApiKey, found: Credentials, askedAtMs: number): Promise<void> {
    await this.#ask(accountWindows(key.account), () =>
      Promise.all([
        this.#cache.putKey(key, found.key, askedAtMs),
        this.#cache.putAccount(key.account, found.account, askedAtMs),
      ]),
    );
  }

  /** The usage in the answer of a script about an account. */
  #accountUsage(answer: readonly number[]): Usage {
    const [, nowMs = 0, minute = 0, minuteEndsMs = 0, day = 0, dayEndsMs = 0, perMinute = 0, perDay = 0] =
      answer;
    return accountUsage({ nowMs, windowMs: this.#windowMs }, { perMinute, perDay }, [
      { used: minute, endsMs: minuteEndsMs },
      { used: day, endsMs: dayEndsMs },
    ]);
  }
}

function keyRecord(key: ApiKey): string {
  return `{${key.account}}:key:${key.sha256}`;
}

function accountRecord(account: string): string {
  return `{${account}}:account`;
}

/** The Redis key of the windows of an account's keys. All Redis keys of an account have one hash tag, so they are on one master. */
export function accountWindows(account: string): string {
  return `{${account}}:windows`;
}

function sessionWindows(account: string): string {
  return `{${account}}:session-windows`;
}

function namedWindow(name: string): string {
  return `{${name}}:window`;
}
