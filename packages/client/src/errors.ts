import type { ApiError, ApiErrorDetails } from './generated/types.ts';
import type { RateLimit } from './rate-limit.ts';

/** The error codes of the API. */
export type ErrorCode = ApiError['code'];

/** `UNEXPECTED_ANSWER`: something other than the API answered, such as a proxy. Later versions of the API may have more codes. */
export type RefusalCode = ErrorCode | 'UNEXPECTED_ANSWER' | (string & Record<never, never>);

/** One wrong input: a path such as `events.0`, or a query parameter's name. */
export type ErrorDetail = ApiErrorDetails;

/** The data of an error answer. */
export type Refusal = {
  readonly status: number;
  readonly code: RefusalCode;
  readonly message: string;
  readonly requestId?: string | undefined;
  readonly details?: readonly ErrorDetail[];
  readonly retryAfterS?: number | undefined;
  readonly rateLimit?: RateLimit | undefined;
};

/** The API answered with an error. Act on `code`; `message` is for people. */
export class SigcastError extends Error {
  override readonly name = 'SigcastError';
  /** The HTTP status. */
  readonly status: number;
  readonly code: RefusalCode;
  /** The id of the request in the API's logs; quote it to support. Undefined when something other than the API answered. */
  readonly requestId: string | undefined;
  /** Each wrong input, when the request was invalid. */
  readonly details: readonly ErrorDetail[];
  /** Whole seconds to wait before the next try. */
  readonly retryAfterS: number | undefined;
  readonly rateLimit: RateLimit | undefined;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.requestId = refusal.requestId;
    this.details = refusal.details ?? [];
    this.retryAfterS = refusal.retryAfterS;
    this.rateLimit = refusal.rateLimit;
  }
}

/** No complete answer came: the connection failed or broke. The request may have been carried out. `cause` says more. */
export class SigcastConnectionError extends Error {
  override readonly name: string = 'SigcastConnectionError';
}

/** No complete answer came in time. */
export class SigcastTimeoutError extends SigcastConnectionError {
  override readonly name = 'SigcastTimeoutError';
}
