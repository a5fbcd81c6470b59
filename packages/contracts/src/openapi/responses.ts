import { type ErrorCode, errorStatus } from '../errors.ts';
import { commonHeaders, headerRefs, statusHeaders } from './headers.ts';
import type { JsonObject } from './operation.ts';
import { ref } from './schemas.ts';

type Meaning = {
  /** When the error occurs. */
  readonly when: string;
  /** An example of the message. */
  readonly message: string;
  readonly more?: JsonObject;
};

/** The meaning of each error code. */
export const errorMeanings: Readonly<Record<ErrorCode, Meaning>> = {
  INVALID_REQUEST: {
    when: 'A parameter or the body is wrong or unknown, or the request is malformed. `details` names each wrong field.',
    message: 'limit must be a whole number from 1 to 100',
    more: { details: [{ field: 'limit', message: 'must be a whole number from 1 to 100' }] },
  },
  UNAUTHORIZED: {
    when: 'The API key or access token is missing, malformed, unknown, revoked or expired.',
    message: 'Invalid or missing API key',
  },
  KEY_EXPIRED: {
    when: 'The API key is past its expiry.',
    message: 'This API key has expired; please generate a new one',
  },
  SECOND_FACTOR_REQUIRED: {
    when: 'The password is right, and the account has a second factor: its `code` is missing, wrong or was used already.',
    message: 'Give a code of your authenticator app, or a recovery code',
    more: { details: [{ field: 'code', message: 'is required' }] },
  },
  FORBIDDEN: {
    when: 'The account is suspended, your role in it does not allow this, a link is for another account, or a browser sent a session’s cookie from another site.',
    message: 'This account is suspended',
  },
  SCOPE_REQUIRED: {
    when: 'The API key has scopes, and lacks the one that the operation needs. The message names it.',
    message: 'This API key lacks the scope webhooks:write',
  },
  NETWORK_NOT_ALLOWED: {
    when: 'The API key may be used from some networks only, and the request came from elsewhere. The message has its address.',
    message: "This API key can't be used from 203.0.113.9",
  },
  NOT_FOUND: {
    when: 'The path or the resource does not exist, or belongs to another account.',
    message: 'There is nothing here',
  },
  METHOD_NOT_ALLOWED: {
    when: 'The path exists, but not with this method. `Allow` lists the methods.',
    message: 'POST is not allowed here; allowed: GET, HEAD',
  },
  REQUEST_TIMEOUT: {
    when: 'The body did not arrive within 10 seconds. Nothing was done, and the connection is closed.',
    message: 'The body did not arrive within 10 s',
  },
  CONFLICT: {
    when: 'The request conflicts with the current state.',
    message: 'This Idempotency-Key was used with another body',
  },
  PAYLOAD_TOO_LARGE: { when: 'The body is over 100 kB.', message: 'The body is over 100 kB' },
  UNSUPPORTED_MEDIA_TYPE: {
    when: 'The body is not JSON in UTF-8, or `Content-Type` does not say so.',
    message: 'The body must be JSON, with Content-Type: application/json',
  },
  RATE_LIMIT_EXCEEDED: {
    when:
      'A rate limit is reached, or too many requests of the account or the client address are open at once. ' +
      'Nothing was done, and the request is not counted.',
    message: 'Over the limit of 60 requests a minute; try again in 17 s',
    more: { retry_after: 17 },
  },
  INTERNAL_ERROR: {
    when: 'A fault of ours. Tell support the `request_id`.',
    message: 'Something went wrong on our side',
  },
  NOT_IMPLEMENTED: {
    when: '`Transfer-Encoding` is other than `chunked`.',
    message: 'Transfer-Encoding must be chunked',
  },
  SERVICE_UNAVAILABLE: {
    when: 'Something we need can’t be reached at the moment. Try again.',
    message: 'The service is temporarily unavailable',
    more: { retry_after: 1 },
  },
  GATEWAY_TIMEOUT: {
    when: 'Something we need did not answer in time. What you asked for may have happened.',
    message: 'The service did not answer in time',
  },
};

/** Statuses whose envelope has `retry_after`. */
const withRetryAfter: readonly number[] = [429, 503];
/** Errors that set the refresh cookie: an ended session clears it, and a renewed token is sent even when a later step fails. */
const withCookie: readonly number[] = [401, 403, 503];

/** Error responses of the document. Each is described once and then referred to. */
export class FailureResponses {
  readonly #components = new Map<string, JsonObject>();

  /**
   * The error responses by status, each with just the codes that can occur.
   * @param metered whether rate limits count the request.
   * @param others whether a response that was not described before becomes a component, or is described in place.
   */
  describe(
    codes: readonly ErrorCode[],
    metered: boolean,
    others: 'shared' | 'inline' = 'shared',
  ): Readonly<Record<string, JsonObject>> {
    const byStatus = Map.groupBy([...new Set(codes)], (code) => errorStatus[code]);
    return Object.fromEntries(
      [...byStatus]
        .sort(([one], [other]) => one - other)
        .map(([status, list]) => {
          const name = (metered ? '' : 'Unmetered') + list.map(pascalCase).join('Or');
          const known = this.#components.get(name) ?? failureResponse(list, status, metered);
          if (others === 'inline' && !this.#components.has(name)) return [status, known];
          this.#components.set(name, known);
          return [status, { $ref: `#/components/responses/${name}` }];
        }),
    );
  }

  /** All responses that have been referred to, by name. */
  get components(): JsonObject {
    return Object.fromEntries([...this.#components].sort(([one], [other]) => one.localeCompare(other)));
  }
}

function failureResponse(codes: readonly ErrorCode[], status: number, metered: boolean): JsonObject {
  const headers = [...commonHeaders(metered), ...(statusHeaders[status] ?? [])];
  const retried = withRetryAfter.includes(status);
  if (!metered && withCookie.includes(status)) headers.push('Set-Cookie');
  return {
    description: codes
      .map((code) =>
        codes.length === 1 ? errorMeanings[code].when : `\`${code}\`: ${errorMeanings[code].when}`,
      )
      .join('\n\n'),
    headers: headerRefs(headers),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['success', 'error'],
          properties: {
            success: { type: 'boolean', const: false },
            error: {
              allOf: [
                { $ref: ref('ApiError') },
                {
                  type: 'object',
                  properties: {
                    code: { type: 'string', enum: codes },
                    ...(retried && { retry_after: { type: 'integer' } }),
                  },
                  ...(retried && { required: ['retry_after'] }),
                },
              ],
            },
          },
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleFailure(code) }])),
      },
    },
  };
}

function exampleFailure(code: ErrorCode): JsonObject {
  const { message, more } = errorMeanings[code];
  return {
    success: false,
    error: {
      code,
      message,
      request_id: 'req_5f0e6c3c-52f1-4c9e-9f4e-0a4a3f1d2b11',
      docs: `/docs/errors#${code}`,
      ...more,
    },
  };
}

function pascalCase(code: ErrorCode): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
