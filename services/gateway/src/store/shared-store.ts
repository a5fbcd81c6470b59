import type { RedisClient } from '@sigcast/redis';
import type { AccountState, Credentials, KeyState, Limits } from '../domain/account.ts';
import type { Away, SharedCounters, SharedVerdict } from '../domain/admission.ts';
import type { ApiKey } from '../domain/api-key.ts';
import { accountUsage, type Usage } from '../domain/usage.ts';
import type { Breaker } from './breaker.ts';
import { type AdmissionScripts, admissionScripts, verdicts } from './scripts.ts';

/** A copy older than this is read anew, beside the request that notices; so plan changes follow within a minute. */
export const refreshAfterMs = 60_000;
/** A copy lives this long without being refreshed: so long do known keys go on while MongoDB is away. */
const recordTtlMs = 3_600_000;
/** What was read longer ago than this is not filled in any more. Far below `recordTtlMs`, so a tombstone outlives every fill. */
const fillMaxAgeMs = 10_000;

const kindOf = Object.fromEntries(
  Object.entries(verdicts).map(([kind, code]) => [code, kind as keyof typeof verdicts]),
);

/** Writes copies of records to Redis. Shared by gateways and operator commands. */
export class RecordCopies {
  readonly #redis: RedisClient;
  readonly #scripts: AdmissionScripts;

  constructor(redis: RedisClient, scripts = admissionScripts()) {
    this.#redis = redis;
    this.#scripts = scripts;
  }

  /** `readAtMs`: when reading the truth began, on Redis' clock; absent for a change that was just made. */
  async putKey(key: ApiKey, state: KeyState, readAtMs = 0): Promise<void> {
    const fields = ['revoked', state.revoked ? 1 : 0, 'expires', state.expiresAtMs ?? 0];
    await this.#put(keyRecord(key), state.rev, fields, readAtMs);
  }

  async putAccount(account: string, state: AccountState, readAtMs = 0): Promise<void> {
    const { perMinute, perDay } = state.limits;
    const fields = ['status', state.status, 'minute', perMinute, 'day', perDay];
    await this.#put(accountRecord(account), state.rev, fields, readAtMs);
  }

  /** Forgets a key that the truth does not know (any more). */
  async dropKey(key: ApiKey): Promise<void> {
    await this.#redis.del(keyRecord(key));
  }

  async #put(name: string, rev: number, fields: (string | number)[], readAtMs: number): Promise<void> {
    await this.#scripts.putRecord(this.#redis, [name], [readAtMs, fillMaxAgeMs, recordTtlMs, rev, ...fields]);
  }
}

export type RedisCountersOptions = {
  readonly redis: RedisClient;
  /** The breaker before whoever answers for a key; absent while nobody is known to. */
  readonly breakerFor: (key: string) => Breaker | undefined;
  readonly windowMs: number;
  /** Called when a copy is to be read anew; must not throw. */
  readonly onStale: (key: ApiKey, nowMs: number) => void;
  /** Told of every call that failed or was given up. */
  readonly onFailure: () => void;
  readonly scripts?: AdmissionScripts;
};

/** Counters and copies in Redis, one round trip a request. */
export class RedisCounters implements SharedCounters {
  readonly #redis: RedisClient;
  readonly #breakerFor: RedisCountersOptions['breakerFor'];
  readonly #windowMs: number;
  readonly #onStale: RedisCountersOptions['onStale'];
  readonly #onFailure: () => void;
  readonly #copies: RecordCopies;
  readonly #scripts: AdmissionScripts;

  constructor(options: RedisCountersOptions) {
    this.#redis = options.redis;
    this.#breakerFor = options.breakerFor;
    this.#windowMs = options.windowMs;
    this.#onStale = options.onStale;
    this.#onFailure = options.onFailure;
    this.#scripts = options.scripts ?? admissionScripts();
    this.#copies = new RecordCopies(options.redis, this.#scripts);
  }

  async admitKey(key: ApiKey): Promise<SharedVerdict | Away> {
    const windows = accountWindows(key.account);
    const keys = [keyRecord(key), accountRecord(key.account), windows];
    const answer = await this.#ask(windows, () =>
      this.#scripts.admitKey(this.#redis, keys, [this.#windowMs, refreshAfterMs]),
    );
    if (answer === 'away') return answer;
    const [code = -1, nowMs = 0] = answer;
    if (answer[8] === 1) this.#onStale(key, nowMs);
    const kind = kindOf[code];
    if (kind === undefined) throw new Error(`the admission script returned ${code}`);
    if (kind === 'missing') return { kind, askedAtMs: nowMs };
    if (kind !== 'admitted' && kind !== 'limited') return { kind };
    return { kind, usage: this.#accountUsage(answer) };
  }

  async admitAccount(account: string, { perMinute, perDay }: Limits) {
    const windows = accountWindows(account);
    const answer = await this.#ask(windows, () =>
      this.#scripts.admitAccount(this.#redis, [windows], [this.#windowMs, perMinute, perDay]),
    );
    if (answer === 'away') return answer;
    return { admitted: answer[0] === verdicts.admitted, usage: this.#accountUsage(answer) };
  }

  admitAddress(address: string, limit: number): Promise<{ admitted: boolean; usage: Usage } | Away> {
    return this.admitNamed(`address:${address}`, { limit, windowMs: this.#windowMs });
  }

  async admitNamed(name: string, { limit, windowMs }: { limit: number; windowMs: number }) {
    const window = namedWindow(name);
    const answer = await this.#ask(window, () =>
      this.#scripts.admitNamed(this.#redis, [window], [windowMs, limit]),
    );
    if (answer === 'away') return answer;
    const [admitted, nowMs = 0, used = 0, endsMs = 0] = answer;
    return { admitted: admitted === 1, usage: { nowMs, windowMs, minute: { used, endsMs, limit } } };
  }

  async giveBack(name: string): Promise<void> {
    const window = namedWindow(name);
    await this.#ask(window, async () => [await this.#scripts.giveBack(this.#redis, [window], [])]);
  }

  async usedToday(account: string): Promise<number | Away> {
    const windows = accountWindows(account);
    const answer = await this.#ask(windows, async () => [
      await this.#scripts.usedToday(this.#redis, [windows], []),
    ]);
    return answer === 'away' ? answer : (answer[0] ?? 0);
  }

  async fill(key: ApiKey, found: Credentials, askedAtMs: number): Promise<void> {
    await this.#ask(accountWindows(key.account), async () => {
      await Promise.all([
        this.#copies.putKey(key, found.key, askedAtMs),
        this.#copies.putAccount(key.account, found.account, askedAtMs),
      ]);
      return [];
    });
  }

  /** What a script that charges an account says of its windows. */
  #accountUsage(answer: readonly number[]): Usage {
    const [, nowMs = 0, minute = 0, minuteEndsMs = 0, day = 0, dayEndsMs = 0, perMinute = 0, perDay = 0] =
      answer;
    return accountUsage({ nowMs, windowMs: this.#windowMs }, { perMinute, perDay }, [
      { used: minute, endsMs: minuteEndsMs },
      { used: day, endsMs: dayEndsMs },
    ]);
  }

  async #ask(key: string, command: () => Promise<unknown>): Promise<readonly number[] | Away> {
    const breaker = this.#breakerFor(key);
    if (breaker === undefined || !breaker.closed) return 'away';
    try {
      const answer = await command();
      breaker.succeeded();
      return answer as readonly number[];
    } catch (error) {
      if (isScriptError(error)) throw error;
      breaker.failed();
      this.#onFailure();
      return 'away';
    }
  }
}

/** An error in a script is a bug of ours, not an outage. */
function isScriptError(error: unknown): boolean {
  return error instanceof Error && /^ERR .*user_script/.test(error.message);
}

function keyRecord(key: ApiKey): string {
  return `{${key.account}}:key:${key.sha256}`;
}

function accountRecord(account: string): string {
  return `{${account}}:account`;
}

/** Where an account's windows are. All that belongs to an account has one hash tag, so one master answers for it. */
export function accountWindows(account: string): string {
  return `{${account}}:windows`;
}

function namedWindow(name: string): string {
  return `{${name}}:window`;
}
