import type { z } from 'zod';
import type { AccountRole } from '../account-roles.ts';
import type { ErrorCode } from '../errors.ts';
import type { ServiceName } from '../identity.ts';
import type { AuditAction } from '../resources/audit.ts';
import type { ApiScope } from '../scopes.ts';

export type JsonObject = { readonly [key: string]: unknown };

/** Parameters in paths, by name: identifiers of resources. */
export type PathParameters = Readonly<
  Record<string, { readonly schema: z.ZodType; readonly description: string }>
>;

/** One operation of the public API: what the document, the gateway's routes, the services' routes and the clients are made of. */
export type Operation = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly id: string;
  /** The service that answers it. */
  readonly service: ServiceName | 'gateway';
  /** Whether it needs no caller that is known: it is about becoming known, or stopping to be. */
  readonly open?: true;
  /** The clients' name of the call: its group and method. Absent where clients have no call, or one written by hand. */
  readonly call?: `${string}.${string}`;
  /** Whether it is a tool of the MCP server. */
  readonly tool?: true;
  /** The scope that a key with scopes needs. Every operation under /v1 has one. */
  readonly scope?: ApiScope;
  /** What a request counts as in the limits of its account. Default: 1. */
  readonly cost?: number;
  /** What a request counts as where one of these parameters has another value than here: it reads up to thousands of documents. */
  readonly costly?: { readonly cost: number; readonly unless: Readonly<Record<string, string>> };
  /** Who answers requests with `as_of`, and what they count as: they read up to thousands of documents. */
  readonly past?: { readonly service: ServiceName; readonly cost: number; readonly query: z.ZodType };
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Whether the whole body may be left out. */
  readonly mayLackBody?: boolean;
  /** Of a success. Default: 200. */
  readonly status?: 201 | 202 | 204;
  /** What the status means for this operation. */
  readonly success: string;
  /** Absent where an answer has no body. */
  readonly answer?: z.ZodType;
  /** Members of the answer’s example that are not as in the example of its schema. */
  readonly sample?: JsonObject;
  /** Another success, 202: what was asked for has yet to happen. */
  readonly accepted?: { readonly success: string; readonly answer: z.ZodType };
  /** Instead of `answer`: an example of a stream of server-sent events. */
  readonly stream?: { readonly example: string };
  /** Error codes of this operation, in addition to those of its group. */
  readonly errors?: readonly ErrorCode[];
  /** Answers carry `ETag`; `If-None-Match` gives 304. */
  readonly conditional?: boolean;
  /** Answers are pages; `Link` leads to the other pages. */
  readonly paged?: boolean;
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** Success sets or clears the refresh cookie. */
  readonly setsCookie?: boolean;
  /**
   * Under /account: the least role that a person needs in the account that their session acts for. Absent: it is about the person,
   * so it is done with their own account, whichever the session acts for.
   */
  readonly role?: AccountRole;
  /** What the gateway writes to the audit log of the account before it passes a request on. The first parameter in the path is what is acted on. */
  readonly audit?: AuditAction;
  /** Instead of `answer`: examples of files, by their media type. */
  readonly files?: Readonly<Record<string, string>>;
  /** Credentials of this operation, instead of those of its group. */
  readonly security?: readonly JsonObject[];
};

/** An operation under /v1, for which API keys are. */
export type ApiOperation = Operation & { readonly scope: ApiScope };

/** A group of operations with the same credentials, errors and headers. */
export type OperationGroup = {
  readonly operations: readonly Operation[];
  readonly security: readonly JsonObject[];
  /** Whether rate limits count the requests. Every answer then has the headers about limits. */
  readonly metered: boolean;
  /** Error codes that every operation of the group can answer with. */
  readonly errors: readonly ErrorCode[];
};
