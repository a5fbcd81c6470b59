import { type Answer, type Page, readAnswer, refusalOf } from './answer.ts';
import { SigcastConnectionError, SigcastError, SigcastTimeoutError } from './errors.ts';
import { type QueryValue, queryString } from './query.ts';
import { backoffMs, TimeIsOver, within } from './wait.ts';

/** Clock and randomness of the client. */
export type Surroundings = {
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
  /** From 0 up to 1. */
  random(): number;
  /** @throws the signal's reason as soon as it aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
};

export type TransportOptions = {
  readonly apiKey: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  readonly maxRetries: number;
};

/** One request to the API. */
export type Call = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path with its query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Makes a POST repeatable: the API carries it out once, however often it is sent. */
  readonly idempotencyKey?: string;
};

export type CallOptions = {
  /** Cancels the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
};

export type IdempotentOptions = CallOptions & {
  /** Calls with the same key have one effect, also across a restart of your program. Default: a new key for each call. */
  readonly idempotencyKey?: string;
};

/** How a list is read on after a page. */
type Reading = {
  readonly query: Readonly<Record<string, QueryValue>>;
  /** The parameter that takes `meta.next_cursor`. */
  readonly cursor: string;
};

export type StreamRequest = {
  /** Empty for events from now on. */
  readonly lastEventId: string;
  readonly connection: AbortController;
};

/** The first and the longest pause where the API names none, in milliseconds. Pauses double. */
const backoff = { firstMs: 250, maxMs: 8_000 };

/** The longest random addition to `Retry-After`, so that clients with the same value don't return at the same instant. */
const spreadMs = 250;

/** Sends requests, and retries them where that is safe and can help. */
export class Transport {
  readonly options: TransportOptions;
  readonly surroundings: Surroundings;

  constructor(options: TransportOptions, surroundings: Surroundings) {
    this.options = options;
    this.surroundings = surroundings;
  }

  /**
   * @throws {SigcastError} when the API refuses.
   * @throws {SigcastConnectionError} when no complete answer came; {SigcastTimeoutError} when none came in time.
   */
  async send<T, Meta = undefined>(
    call: Call,
    { signal }: CallOptions = {},
  ): Promise<Answer<T> & { readonly meta: Meta }> {
    const { now, pause } = this.surroundings;
    const endsAtMs = now() + this.options.timeoutMs;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt<T, Meta>(call, endsAtMs - now(), signal);
      } catch (error) {
        const waitMs =
          attempt > this.options.maxRetries ? undefined : this.#retryAfterMs(error, attempt, call);
        // A pause would outlast the call, so the error is thrown now.
        if (waitMs === undefined || now() + waitMs >= endsAtMs) throw error;
        await pause(waitMs, signal);
      }
    }
  }

  /** Every entry of a list, page after page. @throws as `send` does. */
  async *entries<T>(
    path: string,
    { query, cursor }: Reading,
    options?: CallOptions,
  ): AsyncGenerator<T, void, undefined> {
    type Meta = { readonly next_cursor?: string | null; readonly has_more?: boolean };
    let next: string | null | undefined;
    let page: Page<T, Meta>;
    do {
      const asked = { ...query, limit: query.limit ?? 100, ...(next && { [cursor]: next }) };
      page = await this.send<readonly T[], Meta>(
        { method: 'GET', path: `${path}${queryString(asked)}` },
        options,
      );
      yield* page.data;
      next = page.meta.next_cursor;
      // With a filter, a page of events may be empty although more pages follow.
    } while (page.meta.has_more ?? next);
  }

  /**
   * Opens a stream of events, without retries. Abort `connection` to end the stream.
   * @throws as `send` does.
   */
  async open(path: string, { lastEventId, connection }: StreamRequest): Promise<ReadableStream<Uint8Array>> {
    const { attemptTimeoutMs: timeoutMs } = this.options;
    const ask = async () => {
      const response = await this.#fetch(path, {
        headers: {
          accept: 'text/event-stream, application/json',
          ...(lastEventId !== '' && { 'last-event-id': lastEventId }),
        },
        signal: connection.signal,
      });
      const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
      if (response.ok && isStream && response.body !== null) return response.body;
      throw refusalOf(response, response.ok ? '' : await response.text());
    };
    return within(ask, { timeoutMs, signal: connection.signal }).catch((cause: unknown) => {
      if (cause instanceof SigcastError) throw cause;
      if (!(cause instanceof TimeIsOver)) throw connectionError(`GET ${path}`, cause);
      throw new SigcastTimeoutError(`GET ${path} was not answered within ${timeoutMs} ms`, { cause });
    });
  }

  /** Milliseconds to wait before asking again; undefined when the same request should not be sent again. */
  #retryAfterMs(error: unknown, attempt: number, call: Call): number | undefined {
    const { random } = this.surroundings;
    const backedOffMs = backoffMs(attempt, { ...backoff, random });
    if (error instanceof SigcastConnectionError) return isRepeatable(call) ? backedOffMs : undefined;
    if (!(error instanceof SigcastError)) return undefined;
    // A request over a limit was not carried out. After the other statuses, it may have been.
    const helps = error.status === 429 || ([502, 503, 504].includes(error.status) && isRepeatable(call));
    if (!helps) return undefined;
    return error.retryAfterS === undefined ? backedOffMs : error.retryAfterS * 1_000 + random() * spreadMs;
  }

  async #attempt<T, Meta>(call: Call, leftMs: number, signal: AbortSignal | undefined) {
    const { method, path, body, idempotencyKey } = call;
    const timeoutMs = Math.max(1, Math.min(this.options.attemptTimeoutMs, Math.floor(leftMs)));
    const ask = async (ending: AbortSignal) => {
      const response = await this.#fetch(path, {
        method,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: ending,
      });
      return { response, text: await response.text() };
    };
    const { response, text } = await within(ask, { timeoutMs, signal }).catch((cause: unknown) => {
      signal?.throwIfAborted();
      if (!(cause instanceof TimeIsOver)) throw connectionError(`${method} ${path}`, cause);
      throw new SigcastTimeoutError(`${method} ${path} was not answered within ${timeoutMs} ms`, { cause });
    });
    return readAnswer<T, Meta>(response, text);
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    const { apiKey, baseUrl, fetch } = this.options;
    const headers = { authorization: `Bearer ${apiKey}`, ...(init.headers as Record<string, string>) };
    // The API never redirects, and the key must not be sent elsewhere.
    return fetch(`${baseUrl}${path}`, { ...init, headers, redirect: 'error' });
  }
}

/** Calls that belong together. */
export class Group {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }
}

/** Whether a request is idempotent (RFC 9110, 9.2.2). A PATCH of this API sets values, so it is idempotent, too. */
function isRepeatable({ method, idempotencyKey }: Call): boolean {
  return method !== 'POST' || idempotencyKey !== undefined;
}

/** The error for a request that got no complete answer. */
export function connectionError(what: string, cause: unknown): SigcastConnectionError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const why = inner instanceof Error ? inner.message : String(inner);
  return new SigcastConnectionError(`${what} got no answer: ${why}`, { cause });
}

/** Encodes a path segment. @throws {TypeError} for an empty or a dot segment, which would change the path. */
export function segment(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new TypeError(`not an identifier: ${JSON.stringify(id)}`);
  return encodeURIComponent(id);
}
