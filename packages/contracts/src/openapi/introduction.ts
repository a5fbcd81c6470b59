import { type ErrorCode, errorStatus } from '../errors.ts';
import { errorMeanings } from './responses.ts';

const codes = Object.keys(errorStatus) as ErrorCode[];

const errorTable = [
  '| `error.code` | status | when |',
  '|---|---|---|',
  ...codes.map(
    (code) => `| [\`${code}\`](/docs/errors#${code}) | ${errorStatus[code]} | ${errorMeanings[code].when} |`,
  ),
].join('\n');

/** The document's introduction, in Markdown. */
export const introduction = `
Token signals with tracked performance, exact statistics, and signed webhooks. The
[documentation](/docs) has a quick start, guides and samples.

## Authentication

Every request under \`/v1\` needs an API key:

\`\`\`sh
curl -H "Authorization: Bearer $SIGCAST_API_KEY" {server}/v1/signals
\`\`\`

Keys are made, rotated and revoked under \`/account\`, with the access token of a session. A key is shown once, when it
is made. A key may have scopes, networks that it can be used from, and a limit of its own; \`x-scope\` of an operation says
which scope it needs. The very next request with a revoked key is refused. The access token opens \`/v1\` too, as its account and
within limits of its own; the dashboard reads that way. Programs use keys.

## Answers

Every answer is JSON with \`success\`: \`{ "success": true, "data": …, "meta"?: … }\` or
\`{ "success": false, "error": { "code", "message", "request_id", "docs", "details"?, "retry_after"? } }\`. Members may be
added: ignore those you don’t know. Every path that has \`GET\` has \`HEAD\`. Text is Unicode: a body that is not UTF-8, or
has half of a surrogate pair, is refused.

## Errors

Act on \`error.code\`; \`error.message\` is for people and may change. \`error.details\` names each wrong field, 20 at most.
\`error.docs\` is the address of the code’s explanation.

${errorTable}

An unknown path is 404. A method that a path does not have is 405 with \`Allow\`. Bytes that are not HTTP and headers over
16 kB are 400, and the connection is closed. Under \`/v1\`, all of these are 401 without a valid key.

## Rate limits

Per account, over all its keys: 60 requests a minute and 10,000 a day on the plan \`standard\`. A minute begins with the
first request after the last minute ended, and lasts 60 s. A day is the day in UTC. When a window ends, its whole limit is
free again. Every answer under \`/v1\` says what is left: \`X-RateLimit-*\` for the window with the fewest requests left,
\`RateLimit\` for all. A key may have a limit of its own besides, a minute like the account’s. A request over the limit is 429 with \`Retry-After\`, and is not counted. A client that waits for
\`X-RateLimit-Reset\` once \`X-RateLimit-Remaining\` is 0 never gets a 429. Requests with an access token count apart from
the keys, for all sessions of the account together: as many as the plan says, and at least 120 a minute and 10,000 a day.

## Lists

\`limit\` and \`page\` (from 1), with \`meta.total\` and \`meta.total_pages\`. To read all signals, pass
\`meta.next_cursor\` as \`cursor\` instead of \`page\`: no signal is skipped or repeated while new ones arrive. A parameter
that is unknown, repeated or out of range is an error, never ignored. \`Link\` (RFC 8288) has the addresses of other
pages: \`first\`, \`prev\`, \`next\` and \`last\`, where they exist, relative to the address of the request.

## Finding a token

\`GET /v1/signals\` takes \`symbol\` (exact, in upper or lower case) and \`contract\` (exact), and \`until\` (up to and
including that instant) beside \`since\` (after that instant). All filters can be combined.

## Conditional requests

Lists, details and statistics of signals carry an \`ETag\`. Send its value as \`If-None-Match\`: the answer is 304 without
a body while nothing has changed. The request is counted. Answers of 2 kB or more are compressed for clients that send
\`Accept-Encoding\` (\`br\`, \`gzip\`). Shared caches must not keep answers under \`/v1\`.

## From a browser

Pages of every origin may call \`/v1\` with a key (CORS), and read the headers named here. The browser’s preflight
request needs no key and is not counted. Everybody who opens a page can read the key in it.

## Webhooks

Events are POSTed to your address within about a second, signed as
[Standard Webhooks](https://www.standardwebhooks.com) says, so its libraries verify them. An event may come more than
once, and events come in no promised order: a repetition has the same \`webhook-id\`. Deliveries are not counted against
rate limits.

You can pause, test and change a webhook, replace its secret, and read and retry its deliveries. After an outage of
yours, \`POST /v1/webhooks/{webhook_id}/recover\` delivers everything that was missed since an instant. A
webhook whose deliveries all fail for 3 days is disabled, and says so.

A webhook belongs to the account, not to the key that made it: revoking a key stops no delivery. To stop
deliveries, disable or delete the webhook. While an account is suspended, events wait. They are sent when the
account is resumed.

## Reading events instead

\`GET /v1/stream\` brings the same events over a connection of yours, as server-sent events. \`GET /v1/events\` lists
the events of the last 30 days in one order, without a gap. Webhooks, stream and list use the same ids, so you can change
from one to another without missing an event.
`.trim();
