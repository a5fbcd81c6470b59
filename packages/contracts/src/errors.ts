/**
 * Every error code a client can meet, with the HTTP status it travels under.
 * One table for all services, so that a code never means two things.
 */
export const errorStatus = {
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  KEY_EXPIRED: 401,
  FORBIDDEN: 403,
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
export type SigcastErrorOptions = {
  /** Which inputs are wrong, and how. */
  readonly details?: readonly ErrorDetail[];
  /** Whole seconds after which asking again makes sense; becomes `Retry-After`. */
  readonly retryAfterS?: number;
  /** The methods that do exist, for `METHOD_NOT_ALLOWED`; becomes `Allow` (RFC 9110, 10.2.1). */
  readonly allow?: readonly string[];
  readonly cause?: unknown;
};

/**
 * An error that classifies itself. The HTTP error handler turns it into an answer, the consumer's
 * acknowledgement policy into a retry or a parked message; nothing else translates errors.
 */
export class SigcastError extends Error {
  override readonly name = 'SigcastError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly retryAfterS: number | undefined;
  readonly allow: readonly string[] | undefined;

  constructor(code: ErrorCode, message: string, options: SigcastErrorOptions = {}) {
    // Collecting a stack takes longer than the rest of a refusal; only of our own bugs is it read.
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

/** A dependency (store, broker, service) can't be reached or used right now. Retryable. */
export function unavailable(what: string, cause?: unknown): SigcastError {
  return new SigcastError('SERVICE_UNAVAILABLE', `${what} is temporarily unavailable`, {
    retryAfterS: 1,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Whoever sent more wrong things than this has the same to mend in all of them. */
const maxDetails = 20;
/** Those that the message tells of, for people. */
const maxTold = 5;

/** A request that can't be served as it stands, with the fields that are wrong: the first 20. */
export function invalidRequest(details: readonly ErrorDetail[]): SigcastError {
  return new SigcastError('INVALID_REQUEST', problemText(details), { details: details.slice(0, maxDetails) });
}

/** What is wrong, in one line: each field and what its message says of it. */
export function problemText(details: readonly ErrorDetail[]): string {
  const told = details
    .slice(0, maxTold)
    .map(({ field, message }) => (field === '' ? message : `${field} ${message}`));
  const more = details.length - told.length;
  if (more > 0) told.push(`and ${more} more`);
  return told.join('; ') || 'The request is invalid';
}
