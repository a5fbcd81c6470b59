import type { RedisClient } from '@sigcast/redis';
import type { SharedCounters, SharedVerdict, Unavailable } from '../domain/admission.ts';
import type { Limits } from '../domain/plan.ts';
import { accountUsage, type Usage } from '../domain/usage.ts';
import type { AskRedis } from './ask-redis.ts';
import { type AdmissionScripts, admissionScripts, verdicts } from './scripts.ts';

/** What a script about windows returns. */
type Numbers = Promise<readonly number[]>;

export type RedisCountersOptions = {
  readonly redis: RedisClient;
  readonly ask: AskRedis;
  readonly windowMs: number;
  /**
   * Changes when the master that has this key comes into use: it may not know of the last changes, so that no stamp of it is known
   * any more.
   */
  readonly epochOf: (key: string) => number;
  readonly scripts?: AdmissionScripts;
};

/** Counters and stamps in Redis. A decision takes one round trip. */
export class RedisCounters implements SharedCounters {
  readonly #redis: RedisClient;
  readonly #ask: AskRedis;
  readonly #windowMs: number;
  readonly #epochOf: RedisCountersOptions['epochOf'];
  readonly #scripts: AdmissionScripts;

  constructor(options: RedisCountersOptions) {
    this.#redis = options.redis;
    this.#ask = options.ask;
    this.#windowMs = options.windowMs;
    this.#epochOf = options.epochOf;
    this.#scripts = options.scripts ?? admissionScripts();
  }

  async admitKey(
    account: string,
    { stamp = '', limits, cost, own }: Parameters<SharedCounters['admitKey']>[1],
  ): Promise<SharedVerdict | Unavailable> {
    const epoch = `${this.#epochOf(accountWindows(account))} `;
    const known = stamp.startsWith(epoch) ? stamp.slice(epoch.length) : '';
    const answer = await this.#ask(
      accountWindows(account),
      (windows) =>
        this.#scripts.admitKey(
          this.#redis,
          own === undefined ? [windows] : [windows, ownWindow(account, own.name)],
          [this.#windowMs, limits.perMinute, limits.perDay, cost, own?.limit ?? 0, known],
        ) as Promise<[number, string] | number[]>,
    );
    if (answer === 'unavailable') return answer;
    const [verdict, current] = answer;
    if (verdict === verdicts.stale) return { kind: 'stale', stamp: `${epoch}${current}` };
    const kind = verdict === verdicts.admitted ? 'admitted' : 'limited';
    return { kind, usage: this.#accountUsage(answer as number[], limits, own?.limit) };
  }

  async admitSession(account: string, limits: Limits, cost: number) {
    const answer = await this.#ask(
      sessionWindows(account),
      (windows) =>
        this.#scripts.admitSession(
          this.#redis,
          [windows],
          [this.#windowMs, limits.perMinute, limits.perDay, cost],
        ) as Numbers,
    );
    if (answer === 'unavailable') return answer;
    return { admitted: answer[0] === verdicts.admitted, usage: this.#accountUsage(answer, limits) };
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

  /** The usage in the answer of a script about an account. */
  #accountUsage(answer: readonly number[], limits: Limits, ownLimit?: number): Usage {
    const [, nowMs = 0, minute = 0, minuteEndsMs = 0, day = 0, dayEndsMs = 0, own = 0, ownEndsMs = 0] =
      answer;
    return accountUsage(
      { nowMs, windowMs: this.#windowMs },
      limits,
      [
        { used: minute, endsMs: minuteEndsMs },
        { used: day, endsMs: dayEndsMs },
      ],
      ownLimit === undefined ? undefined : { used: own, endsMs: ownEndsMs, limit: ownLimit },
    );
  }
}

/** The Redis key of the windows of an account's keys. All Redis keys of an account have one hash tag, so they are on one master. */
export function accountWindows(account: string): string {
  return `{${account}}:windows`;
}

/** The window of one key of an account, named by the key's id. */
function ownWindow(account: string, name: string): string {
  return `{${account}}:${name}:window`;
}

function sessionWindows(account: string): string {
  return `{${account}}:session-windows`;
}

function namedWindow(name: string): string {
  return `{${name}}:window`;
}
