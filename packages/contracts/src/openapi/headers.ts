type JsonObject = { readonly [key: string]: unknown };

const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } });
const count = (description: string): JsonObject => ({ description, schema: { type: 'integer', minimum: 0 } });

/** Every header of an answer that means something to a client, by its name in `components.headers`. */
export const headerComponents: Readonly<Record<string, JsonObject>> = {
  'X-Request-Id': text('Names this request in logs and to support: your own where you sent a fitting one.'),
  'X-RateLimit-Limit': count('Requests that the window with the least remaining allows.'),
  'X-RateLimit-Remaining': count('Requests left in that window.'),
  'X-RateLimit-Reset': count('Unix seconds when it ends, or, with nothing remaining, when it admits again.'),
  RateLimit: text('All windows: `r` requests remaining, `t` seconds until reset (IETF draft).'),
  'RateLimit-Policy': text('All windows: `q` quota, `w` length in seconds (IETF draft).'),
  'X-RateLimit-Degraded': text('`1` while limits are counted by each gateway for itself.'),
  'Retry-After': { description: 'Whole seconds to wait.', schema: { type: 'integer', minimum: 1 } },
  ETag: text('Send it back as `If-None-Match` to hear 304 where nothing has changed.'),
  'WWW-Authenticate': text('`Bearer`'),
  Allow: text('The methods that do exist here.'),
};

/** On every answer under /v1. */
export const apiHeaders = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Degraded',
];

/** What belongs to a status besides. */
export const statusHeaders: Readonly<Record<number, readonly string[]>> = {
  304: ['ETag'],
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Headers by name, as references. */
export function headerRefs(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
