import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

export type JsonObject = { readonly [key: string]: unknown };

/** A schema under the name it has in the document. */
export type NamedSchema = { readonly name: string; readonly schema: z.ZodType };

/** One operation of the public API, as data: everything the document says of it. */
export type Operation = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly query?: z.ZodType;
  /** A body that is optional may be left out whole. */
  readonly body?: NamedSchema & { readonly optional?: boolean };
  readonly status: 200 | 201 | 204;
  /** What the status means here, in words. */
  readonly success: string;
  /** Absent where an answer has no body. */
  readonly answer?: NamedSchema;
  /** Instead of `answer`: success is a stream of server-sent events, as in this example. */
  readonly stream?: { readonly example: string };
  /** An answer of another status that is no failure envelope. */
  readonly otherwise?: NamedSchema & { readonly status: number; readonly means: string };
  /** Beside those that any request of its kind may meet. */
  readonly errors: readonly ErrorCode[];
  /** Answers carry `ETag`; `If-None-Match` gives 304. */
  readonly conditional?: boolean;
  /** Answers are one page of several; `Link` leads to the others. */
  readonly paged?: boolean;
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** Success sets or clears the refresh cookie. */
  readonly setsCookie?: boolean;
  /** Instead of what its kind is opened by. */
  readonly security?: readonly JsonObject[];
};

/** Operations that are opened the same way, and what comes with that. */
export type OperationGroup = {
  readonly operations: readonly Operation[];
  readonly security: readonly JsonObject[];
  /** Counted by rate limits: every answer says how much is left. */
  readonly metered: boolean;
  /** What any of their requests may meet. */
  readonly errors: readonly ErrorCode[];
};
