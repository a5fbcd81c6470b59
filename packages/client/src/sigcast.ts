import { Backtests } from './backtests.ts';
import { Groups } from './generated/calls.ts';
import type { FeedEvent } from './generated/types.ts';
import { httpAddress } from './http-address.ts';
import { type StreamOptions, streamEvents } from './stream.ts';
import { type Surroundings, Transport } from './transport.ts';
import { pause } from './wait.ts';

export type SigcastOptions = {
  /** `sk_…` */
  readonly apiKey: string;
  /** The API's address, such as `https://api.example.com`. */
  readonly baseUrl: string;
  /** Used in place of the platform's `fetch`. */
  readonly fetch?: typeof fetch;
  /**
   * Milliseconds for a whole call, including retries and pauses. Default 90,000: longer than the pause after the rate
   * limit of a minute. If a pause would take longer than the time left, the call fails at once.
   */
  readonly timeoutMs?: number;
  /** Milliseconds for one attempt. Default 20,000. */
  readonly attemptTimeoutMs?: number;
  /** How often a call is retried. Default 2; 0 for never. */
  readonly maxRetries?: number;
};

/** The Sigcast API. One instance serves a whole program. */
export class Sigcast extends Groups {
  override readonly backtests: Backtests;
  readonly #transport: Transport;

  /**
   * @param surroundings clock and randomness; tests pass their own.
   * @throws {TypeError} when an option is invalid.
   */
  constructor(options: SigcastOptions, surroundings: Surroundings = platform) {
    const { apiKey, timeoutMs = 90_000, attemptTimeoutMs = 20_000, maxRetries = 2 } = options;
    // A key with other characters would fail in every request, with a less clear message.
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey must be an API key');
    requireAtLeast(1, { timeoutMs, attemptTimeoutMs });
    requireAtLeast(0, { maxRetries });
    const baseUrl = readBaseUrl(options.baseUrl);
    // Browsers refuse a fetch that is called as another object's method.
    const given = options.fetch ?? globalThis.fetch;
    const fetch: typeof given = (input, init) => given(input, init);
    const limits = { timeoutMs, attemptTimeoutMs, maxRetries };
    const transport = new Transport({ apiKey, baseUrl, fetch, ...limits }, surroundings);
    super(transport);
    this.#transport = transport;
    this.backtests = new Backtests(transport);
  }

  /**
   * Events as they happen, for programs that can't receive webhooks. Reconnects after a lost connection and continues
   * after the last event, until `signal` aborts; then the stream ends. Leaving the loop closes the stream.
   *
   * @throws {SigcastError} when the API refuses for good: a revoked key, a wrong filter.
   * @throws {SigcastConnectionError} when the stream can't be opened in the first place.
   */
  stream(options: StreamOptions = {}): AsyncGenerator<FeedEvent, void, undefined> {
    return streamEvents(this.#transport, options);
  }
}

/** The platform's own clock and randomness. */
export const platform: Surroundings = { now: () => performance.now(), random: () => Math.random(), pause };

function readBaseUrl(text: string): string {
  if (httpAddress(text) === undefined) {
    throw new TypeError('baseUrl must be an http or https address without a query');
  }
  return text.replace(/\/+$/, '');
}

function requireAtLeast(least: number, values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (!(Number.isInteger(value) && value >= least)) {
      throw new TypeError(`${name} must be a whole number from ${least}`);
    }
  }
}
