import type { JsonObject } from './operation.ts';

const text = (description: string, example: string): JsonObject => ({
  description,
  required: true,
  schema: { type: 'string', minLength: 1 },
  example,
});
const whole = (description: string, example: number, minimum = 0): JsonObject => ({
  description,
  required: true,
  schema: { type: 'integer', minimum },
  example,
});

const attributes = 'Max-Age=\\d+; HttpOnly; SameSite=Strict(; Secure)?';
const refreshCookie = `(__Secure-)?sigcast_refresh=[^;]*; Path=/account/session; ${attributes}`;
const deviceCookie = `(__Secure-)?sigcast_device=[^;]*; Path=/account; ${attributes}`;

/** All documented response headers, by the name of their component, see `headerRefs`. */
export const headerComponents: Readonly<Record<string, JsonObject>> = {
  'X-Request-Id': {
    description:
      'Names this request in our logs: tell it to support. Your own `X-Request-Id` is kept if it has 8 to 128 ' +
      'characters of `A-Z a-z 0-9 . _ -`.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{8,128}$' },
    example: 'req_5f0e6c3c-52f1-4c9e-9f4e-0a4a3f1d2b11',
  },
  'X-RateLimit-Limit': whole('Requests that the window with the least remaining allows.', 60, 1),
  'X-RateLimit-Remaining': whole('Requests left in that window.', 59),
  'X-RateLimit-Reset': whole(
    'Unix time in seconds when that window ends, rounded up. Then its whole limit is free again.',
    1_767_225_660,
    1,
  ),
  'X-RateLimit-Cost': {
    description: 'How many requests this one counts as, where it is more than one.',
    schema: { type: 'integer', minimum: 2 },
    example: 10,
  },
  RateLimit: text(
    'All windows: `r` requests remaining, `t` seconds until it ends (draft-ietf-httpapi-ratelimit-headers).',
    '"minute";r=59;t=42, "day";r=9999;t=40122',
  ),
  'RateLimit-Policy': text(
    'All windows: `q` quota, `w` length in seconds (draft-ietf-httpapi-ratelimit-headers).',
    '"minute";q=60;w=60, "day";q=10000;w=86400',
  ),
  'X-RateLimit-Degraded': {
    description: '`1` while each gateway counts limits for itself; otherwise absent.',
    schema: { const: '1' },
    example: '1',
  },
  'Retry-After': whole('Whole seconds to wait before asking again; the same as `error.retry_after`.', 17, 1),
  'Retry-After.sometimes': {
    description:
      'Whole seconds to wait before asking again, where waiting helps; the same as `error.retry_after`.',
    schema: { type: 'integer', minimum: 1 },
    example: 8,
  },
  ETag: text(
    'Send it back as `If-None-Match`: the answer is 304 while nothing has changed.',
    'W/"rM2Zw0pVt1n8cYxQ4kLJhA"',
  ),
  Link: {
    description:
      'Other pages of the list (RFC 8288), where they exist: `first`, `prev`, `next`, `last`, each a query relative to the address of the request (RFC 3986).',
    schema: { type: 'string', pattern: '^<\\?[^>]*>; rel="' },
    example: '<?limit=50>; rel="first", <?limit=50&cursor=MTc2NzI2ODgwMDAwMA>; rel="next"',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { const: 'Bearer' },
    example: 'Bearer',
  },
  'Set-Cookie': {
    description:
      'The refresh token, where scripts can’t read it and other sites can’t send it; or its end (`Max-Age=0`). With a ' +
      'password that was right or new, a second cookie shows later that this device has signed in before. The second ' +
      'one comes alone where two-step sign-in is switched on.',
    schema: {
      type: 'string',
      pattern: `^(${refreshCookie}(, ${deviceCookie})?|${deviceCookie})$`,
    },
    example:
      '__Secure-sigcast_refresh=ses_01J9ZQ6W8T3M5N7P9R1S3V5X7Z.…; Path=/account/session; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure',
  },
};

/** Headers of answers to unlisted paths. They are no components, because no operation refers to them. */
const inlineHeaders: Readonly<Record<string, JsonObject>> = {
  Allow: text('The methods that do exist here.', 'GET, HEAD'),
};

const everywhere = ['X-Request-Id'];

const meteredToo = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Cost',
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Degraded',
];

/** Headers of every answer. @param metered whether rate limits count the request. */
export function commonHeaders(metered: boolean): readonly string[] {
  return metered ? [...everywhere, ...meteredToo] : everywhere;
}

/** Further headers of a status. */
export const statusHeaders: Readonly<Record<number, readonly string[]>> = {
  304: ['ETag'],
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  409: ['Retry-After.sometimes'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** References to headers. A component has the header's name; where a header has several, a dot and a word follow. */
export function headerRefs(names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.map((name) => [
      name.replace(/\..*/, ''),
      inlineHeaders[name] ?? { $ref: `#/components/headers/${name}` },
    ]),
  );
}
