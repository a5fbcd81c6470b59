/**
 * All error codes of the API, each with its HTTP status. All services use this table, so that a code has one meaning.
 */
export const errorStatus = {
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  KEY_EXPIRED: 401,
  SECOND_FACTOR_REQUIRED: 401,
  FORBIDDEN: 403,
  SCOPE_REQUIRED: 403,
  NETWORK_NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  NOT_IMPLEMENTED: 501,
  SERVICE_UNAVAILABLE: 503,
  GATEWAY_TIMEOUT: 504,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** One thing that is wrong with a request: `field` is a path such as `metrics.mcap_entry` or a query parameter's name. */
export type ErrorDetail = { readonly field: string; readonly message: string };

/** What a {@link SigcastError} may carry besides its code and message. */
type SigcastErrorOptions = {
  /** Which inputs are wrong, and how. */
  readonly details?: readonly ErrorDetail[];
  /** Whole seconds to wait before the next try; becomes `Retry-After`. */
  readonly retryAfterS?: number;
  /** The methods that do exist, for `METHOD_NOT_ALLOWED`; becomes `Allow` (RFC 9110, 10.2.1). */
  readonly allow?: readonly string[];
  readonly cause?: unknown;
};

/**
 * An error of the API. The HTTP error handler turns it into an answer; the consumer's acknowledgement policy turns it into a
 * retry or a parked message. Nothing else translates errors.
 */
export class SigcastError extends Error {
  override readonly name = 'SigcastError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly retryAfterS: number | undefined;
  readonly allow: readonly string[] | undefined;

  constructor(code: ErrorCode, message: string, options: SigcastErrorOptions = {}) {
    // Without a stack, except for our own bugs: collecting it takes longer than the rest of a refusal.
    const limit = Error.stackTraceLimit;
    if (code !== 'INTERNAL_ERROR') Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = limit;
    this.code = code;
    this.details = options.details;
    this.retryAfterS = options.retryAfterS;
    this.allow = options.allow;
  }

  /** True when the same request may succeed later without being changed. */
  get retryable(): boolean {
    return this.code === 'SERVICE_UNAVAILABLE' || this.code === 'GATEWAY_TIMEOUT';
  }
}

/** Whether the same call may succeed later without being changed. */
export function isRetryable(error: unknown): error is SigcastError {
  return error instanceof SigcastError && error.retryable;
}

/** A dependency (store, broker, service) can't be reached or used right now. Retryable. */
export function unavailable(what: string, cause?: unknown): SigcastError {
  return new SigcastError('SERVICE_UNAVAILABLE', `${what} is temporarily unavailable`, {
    retryAfterS: 1,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The most details in an answer. */
const maxDetails = 20;
/** The most details in the message. */
const maxInMessage = 5;

/** The error for an invalid request, with the first 20 fields that are wrong. */
export function invalidRequest(details: readonly ErrorDetail[]): SigcastError {
  return new SigcastError('INVALID_REQUEST', problemText(details), { details: details.slice(0, maxDetails) });
}

/** One line about what is wrong: each field with its message, at most five of them. */
export function problemText(details: readonly ErrorDetail[]): string {
  const parts = details
    .slice(0, maxInMessage)
    .map(({ field, message }) => (field === '' ? message : `${field} ${message}`));
  const more = details.length - parts.length;
  if (more > 0) parts.push(`and ${more} more`);
  return parts.join('; ') || 'The request is invalid';
}
