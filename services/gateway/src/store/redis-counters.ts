import type { RedisClient } from '@sigcast/redis';
import type { SharedCounters, SharedVerdict, Unavailable } from '../domain/admission.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { Credentials } from '../domain/credentials.ts';
import type { Limits } from '../domain/plan.ts';
import { accountUsage, type Usage } from '../domain/usage.ts';
import type { AskRedis } from './ask-redis.ts';
import { accountRecord, keyRecord, RecordCache } from './record-cache.ts';
import { type AdmissionScripts, admissionScripts, verdicts } from './scripts.ts';

/** A cache entry older than this is refreshed in the background, so that a changed plan takes effect within a minute. */
export const refreshAfterMs = 60_000;
const kindOf = Object.fromEntries(
  Object.entries(verdicts).map(([kind, code]) => [code, kind as keyof typeof verdicts]),
);

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

  async admitKey(key: ApiKey, cost: number): Promise<SharedVerdict | Unavailable> {
    const windows = accountWindows(key.account);
    const keys = [keyRecord(key), accountRecord(key.account), windows];
    const answer = await this.#ask(
      windows,
      () => this.#scripts.admitKey(this.#redis, keys, [this.#windowMs, refreshAfterMs, cost]) as Numbers,
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

  async admitSession(account: string, { perMinute, perDay }: Limits, cost: number) {
    const answer = await this.#ask(
      sessionWindows(account),
      (windows) =>
        this.#scripts.admitSession(
          this.#redis,
          [windows],
          [this.#windowMs, perMinute, perDay, cost],
        ) as Numbers,
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

  async refund(name: string): Promise<undefined | Unavailable> {
    const answer = await this.#ask(namedWindow(name), (window) =>
      this.#scripts.refund(this.#redis, [window], []),
    );
    return answer === 'unavailable' ? answer : undefined;
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
