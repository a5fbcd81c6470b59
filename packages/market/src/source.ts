import { retryAfterMs } from '@sigcast/http';
import { parseJson, reasonOf } from '@sigcast/runtime';
import { Agent, errors, request } from 'undici';

/** Why a source gave no answer that can be used. `refused`: a status from 400 to 499, other than 401, 403 and 429. `stale`: too old. */
export type SourceFailure = {
  readonly kind: 'refused' | 'rate_limited' | 'bad_status' | 'timeout' | 'no_answer' | 'unreadable' | 'stale';
  /** The status of an answer that has none of use. */
  readonly status?: number;
  /** What happened, for the log. */
  readonly reason: string;
  /** How long nobody may ask, where the source says so, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
};
export type SourceAnswer = { readonly kind: 'answered'; readonly json: unknown } | SourceFailure;

/** A source of figures of the market, by HTTP. */
export type Source = {
  /** Asks once. Never rejects. `stopping` ends the request, which is then a failure. */
  get(path: string, stopping: AbortSignal): Promise<SourceAnswer>;
  close(): Promise<void>;
};

/** The most bytes of an answer. 30 tokens with a hundred pairs each are some 4 MB. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** The oldest answer of a cache that counts, in seconds. Sources say that theirs are a minute old at most. */
const maxAgeS = 600;

/** Errors of an answer that is no HTTP, or too large. */
const unreadable = [errors.HTTPParserError, errors.HeadersOverflowError, errors.ResponseExceededMaxSizeError];

/** A source at an address. Redirects are not followed. `headers`: a key, or the version that is asked for. */
export function httpSource({
  url,
  timeoutMs,
  headers = {},
}: {
  readonly url: string;
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
}): Source {
  const dispatcher = new Agent({ maxResponseSize: maxAnswerBytes, connectTimeout: timeoutMs });
  return {
    get: async (path, stopping) => {
      // One timeout for the whole request: a slow body must not outlast who waits for it.
      const late = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await request(url + path, {
          headers: { accept: 'application/json', ...headers },
          signal: AbortSignal.any([late, stopping]),
          dispatcher,
        });
        const text = await answer.body.text();
        const [retryAfter, age] = [answer.headers['retry-after'], answer.headers.age];
        if (answer.statusCode !== 200) return failed(answer.statusCode, retryAfter);
        if (Number([age].flat()[0]) > maxAgeS) return { kind: 'stale', reason: `the answer is ${age} s old` };
        const json = parseJson(text);
        return json === undefined
          ? { kind: 'unreadable', reason: 'the answer is no JSON' }
          : { kind: 'answered', json };
      } catch (error) {
        if (late.aborted) return { kind: 'timeout', reason: `no whole answer within ${timeoutMs} ms` };
        const kind = unreadable.some((type) => error instanceof type) ? 'unreadable' : 'no_answer';
        return { kind, reason: reasonOf(error) };
      }
    },
    close: () => dispatcher.close(),
  };
}

function failed(status: number, retryAfter: string | string[] | undefined): SourceFailure {
  const [header] = [retryAfter].flat();
  return {
    kind: status === 429 ? 'rate_limited' : isOfTheRequest(status) ? 'refused' : 'bad_status',
    status,
    reason: `the status is ${status}`,
    retryAfterMs: status === 429 || status === 503 ? retryAfterMs(header, Date.now()) : undefined,
  };
}

/** Whether a status says something of the request alone. 401 and 403 are said of who asks. */
function isOfTheRequest(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 403;
}
