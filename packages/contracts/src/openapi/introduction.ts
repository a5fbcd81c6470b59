import { type ErrorCode, errorStatus } from '../errors.ts';
import { errorMeanings } from './responses.ts';

const codes = Object.keys(errorStatus) as ErrorCode[];

const errorTable = [
  '| `error.code` | status | when |',
  '|---|---|---|',
  ...codes.map((code) => `| \`${code}\` | ${errorStatus[code]} | ${errorMeanings[code].when} |`),
].join('\n');

/** What one has to know before calling anything, in Markdown. */
export const introduction = `
Token signals with tracked performance, exact statistics, and signed webhooks.

## Authentication

Everything under \`/v1\` is opened by an API key:

\`\`\`sh
curl -H "Authorization: Bearer $SIGCAST_KEY" {server}/v1/signals
\`\`\`

Keys are made, rotated and revoked under \`/account\`, which is opened by a session’s access token instead. A key is
shown once, when it is made. A revoked key is refused from its very next request on. The access token opens \`/v1\` too,
as the account it belongs to and out of the same limits: that is how the dashboard reads. Programs use keys.

## Answers

Every answer is JSON with \`success\`: \`{ "success": true, "data": …, "meta"?: … }\` or
\`{ "success": false, "error": { "code", "message", "request_id", "details"?, "retry_after"? } }\`. Members may be added;
ignore those you don’t know. \`HEAD\` is answered wherever \`GET\` is. Texts are Unicode: bodies that are not UTF-8, and
halves of surrogate pairs, are refused.

## Errors

Act on \`error.code\`; \`error.message\` is for people and may change. \`error.details\` names each wrong field, up to 20.

${errorTable}

Paths that don’t exist are 404; other methods than those below are 405 with \`Allow\`; bytes that are no HTTP, or headers
over 16 kB, are 400 on a connection that is then closed. Under \`/v1\`, without a valid key, all of it is 401.

## Rate limits

Per account, over all its keys: 60 requests a minute and 10,000 a day on the plan \`standard\`. A minute begins with the
first request after the last one ended and lasts 60 s; a day is the day in UTC. When a window ends, its whole limit is
free again. Every answer under \`/v1\` says what is left: \`X-RateLimit-*\` about the window with the least remaining,
\`RateLimit\` about both. Over the limit is 429 with \`Retry-After\`, and costs nothing. A client that waits for
\`X-RateLimit-Reset\` once \`X-RateLimit-Remaining\` is 0 never sees it.

## Lists

\`limit\` and \`page\` (from 1), with \`meta.total\` and \`meta.total_pages\`. To read all signals, follow
\`meta.next_cursor\` with \`cursor\` instead: it neither skips nor repeats one while new ones arrive. A parameter that is
unknown, repeated or out of range is an error, never ignored. \`Link\` (RFC 8288) has the same as addresses: \`first\`,
\`prev\`, \`next\` and \`last\`, as far as they are there, relative to the address of the request.

## Finding a token

\`GET /v1/signals\` takes \`symbol\` (exact, in upper or lower case) and \`contract\` (exact), and \`until\` (up to and
including that instant) beside \`since\` (after that instant). All filters go together.

## Not asking for what you have

Lists, details and statistics of signals carry an \`ETag\`. Send it as \`If-None-Match\`: 304 without a body while
nothing has changed. It counts as a request. Answers of 2 kB or more are compressed for clients that send
\`Accept-Encoding\` (\`br\`, \`gzip\`); answers under \`/v1\` are for no shared cache.

## From a browser

Pages of every origin may call \`/v1\` with a key that they were given (CORS), and read the headers named here. The
browser's own question before a request (preflight) needs no key and is not counted. A key in a page is everybody's
who opens the page.

## Webhooks

Events are POSTed to your address within about a second, signed after
[Standard Webhooks](https://www.standardwebhooks.com), so its libraries verify them. Delivery is at least once, in no
promised order: \`webhook-id\` tells repetitions apart. Deliveries don’t count against rate limits.

A subscription can be paused, tested and given a new secret, its deliveries read and retried; after an outage of yours,
\`POST /v1/webhooks/{webhook_id}/recover\` brings everything since an instant, once. One whose deliveries all fail for 3
days is disabled, and says so.

A subscription belongs to the account, not to the key that made it: revoking that key, or any other, stops no delivery.
Disable or delete the subscription for that. While an account is suspended nothing is sent; what happened meanwhile
follows when it is resumed.

## Reading events instead

\`GET /v1/stream\` brings the same events over a connection of yours, as server-sent events, and \`GET /v1/events\`
lists those of the last 30 days in one order without a gap. All three agree on ids: take up with one where another
left off.
`.trim();
