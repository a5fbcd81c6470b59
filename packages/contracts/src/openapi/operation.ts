import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

/** One operation of the public API, as data: everything the document says of it. */
export type Operation = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodType;
  /** A body that is optional may be left out whole. */
  readonly body?: { readonly schema: z.ZodType; readonly name: string; readonly optional?: boolean };
  readonly status: 200 | 201 | 204;
  /** Absent where an answer has no body. */
  readonly answer?: { readonly schema: z.ZodType; readonly name: string };
  /** Beside those that any request may meet. */
  readonly errors: readonly ErrorCode[];
  /** Answers carry `ETag`; `If-None-Match` gives 304. */
  readonly conditional?: boolean;
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: boolean;
};
