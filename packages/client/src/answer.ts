import { type ErrorDetail, SigcastError } from './errors.ts';
import { type RateLimit, readRateLimit, wholeNumber } from './rate-limit.ts';

/** An answer of the API, with its headers. */
export type Answer<T> = {
  readonly data: T;
  /** The id of the request in the API's logs. */
  readonly requestId: string | undefined;
  readonly rateLimit: RateLimit | undefined;
};

/** A page of a list. */
export type Page<T, Meta> = Answer<readonly T[]> & {
  /** The position of the page in its list. */
  readonly meta: Meta;
};

/**
 * Reads an answer's envelope.
 * @throws {SigcastError} when the answer is an error, or is not from the API.
 */
export function readAnswer<T, Meta>(response: Response, body: string): Answer<T> & { readonly meta: Meta } {
  const parsed = parseObject(body);
  if (!response.ok || parsed?.success !== true || !('data' in parsed)) throw refusalOf(response, body);
  return {
    data: parsed.data as T,
    meta: parsed.meta as Meta,
    requestId: requestIdOf(response),
    rateLimit: readRateLimit(response.headers),
  };
}

/** The error that tells of an unsuccessful answer. */
export function refusalOf(response: Response, body: string): SigcastError {
  const { status, headers } = response;
  const parsed = parseObject(body);
  const error = (parsed?.success === false ? (parsed.error ?? {}) : {}) as {
    code?: string;
    message?: string;
    details?: readonly ErrorDetail[];
    retry_after?: number;
  };
  return new SigcastError({
    status,
    code: error.code ?? 'UNEXPECTED_ANSWER',
    message: error.message ?? `The answer is not one of the Sigcast API (HTTP status ${status})`,
    requestId: requestIdOf(response),
    details: error.details ?? [],
    // Browsers hide the header, so the body comes first.
    retryAfterS: error.retry_after ?? wholeNumber(headers.get('retry-after')),
    rateLimit: readRateLimit(headers),
  });
}

function requestIdOf(response: Response): string | undefined {
  return response.headers.get('x-request-id') ?? undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
