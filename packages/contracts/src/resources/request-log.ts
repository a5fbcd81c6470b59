import { z } from 'zod';
import { errorStatus } from '../errors.ts';
import { describedInstant } from '../instant.ts';
import { count, described, timestamp } from '../members.ts';
import { wholeNumber } from '../query-parameters.ts';
import { keyIdSchema } from './account.ts';

/** How long requests stay in the log, in days. */
export const requestsKeptDays = 7;
/** How many of an account's newest requests stay in the log, about. */
export const requestsKept = 100_000;
/** How many refused requests the log takes in an hour in each process: of a key, and of all dead keys of an account together. */
export const refusedKeptPerHour = { ofKey: 300, ofDeadKeys: 60 };

/** The key of requests that a session made instead of an API key. */
export const dashboardKey = 'dashboard';
/** Stands for all API keys where requests are filtered by key. */
export const anyApiKey = 'programs';

const statusFilter = z
  .string()
  .regex(/^[1-5](xx|\d\d)$/, 'must be 2xx, 3xx, 4xx or 5xx, or a status such as 404')
  .meta({ example: '4xx' });

/** Query of `GET /account/requests`. */
export const listRequestsQuerySchema = z.strictObject({
  status: statusFilter.optional().describe('Only answers of this class, such as `4xx`, or with this status.'),
  key: z
    .union(
      [z.literal(dashboardKey), z.literal(anyApiKey), keyIdSchema],
      `must be a key's identifier, such as key_9f86d081884c7d659a2feaa0, or ${dashboardKey}, or ${anyApiKey}`,
    )
    .optional()
    .describe(
      'Only requests with this key: its identifier, `dashboard` for those of sessions, or `programs` for those of all API keys.',
    ),
  route: described(
    z.string().min(1).max(100).optional(),
    'Only requests to this path, with parameters in braces.',
    '/v1/signals/{signal_id}',
  ),
  since: describedInstant('Only requests that were answered at this instant or later.').optional(),
  request_id: z
    .string()
    .regex(/^[A-Za-z0-9._-]{8,128}$/, 'must be the X-Request-Id of an answer')
    .optional()
    .describe('Only requests with this id.'),
  limit: wholeNumber(1, 100).default(50).describe('Requests per page.'),
  cursor: described(z.string().min(1).max(100).optional(), '`meta.next_cursor` of the previous page.'),
});
export type ListRequestsQuery = z.infer<typeof listRequestsQuerySchema>;

/** A request of an account, as the log has it. */
export const loggedRequestSchema = z
  .strictObject({
    at: timestamp.describe('When the answer ended; that of a stream ends with the stream.'),
    request_id: described(
      z.string(),
      'The `X-Request-Id` of the answer.',
      'req_3f1c2d7a-9b1e-4a55-8c53-0d9f6f0f7a11',
    ),
    key: z
      .string()
      .describe('The identifier of its API key; `dashboard` for the request of a session.')
      .meta({ example: 'key_9f86d081884c7d659a2feaa0' }),
    method: z.string().meta({ example: 'GET' }),
    route: described(
      z.string().nullable(),
      'Its path, with parameters in braces; null for a path that the API does not have.',
      '/v1/signals/{signal_id}',
    ),
    status: described(
      z.int(),
      'Of the answer; 499 where the client went away before it, 502 where a service broke it off.',
      404,
    ),
    code: z
      .enum(Object.keys(errorStatus) as [keyof typeof errorStatus, ...(keyof typeof errorStatus)[]])
      .nullable()
      .describe('The error of the answer; null for a success, 499 and 502.')
      .meta({ example: 'NOT_FOUND' }),
    latency_ms: described(
      z.number().min(0),
      'From the arrival of the request to the end of the answer.',
      12.3,
    ),
    address: described(z.string(), 'The client’s address.', '203.0.113.7'),
    user_agent: described(z.string().nullable(), 'The first 200 characters.', 'sigcast-python/1.0'),
    bytes: described(count, 'Bytes of the answer as it was sent, headers included.', 812),
    cost: described(count, 'What it counted as in the limits; 0 where it was refused before.', 1),
  })
  .meta({ id: 'LoggedRequest' });
export type LoggedRequest = z.infer<typeof loggedRequestSchema>;

/** Requests that the log lacks. */
export const requestGapSchema = z
  .strictObject({
    from: timestamp,
    until: timestamp,
    dropped: described(count, 'How many requests of that time are missing, whatever the filter.', 12),
  })
  .describe(
    `Requests that the log lacks. Each process of the gateway takes 100 requests of an account a second, and of those that their key does not allow \
${refusedKeptPerHour.ofKey} an hour of each key, and ${refusedKeptPerHour.ofDeadKeys} of all keys together that are no longer valid.`,
  )
  .meta({ id: 'RequestGap' });
export type RequestGap = z.infer<typeof requestGapSchema>;

/** Answer of `GET /account/requests`. */
export const requestListSchema = z
  .strictObject({
    success: z.literal(true),
    data: z.array(loggedRequestSchema),
    meta: z
      .strictObject({
        gaps: z
          .array(requestGapSchema)
          .describe(
            'What is missing in the time of this page, newest first. Gaps count as results of the page.',
          ),
        next_cursor: described(
          z.string().nullable(),
          'Pass it back as `cursor` for older requests; null at the end. A page may have few requests, even none, and a cursor.',
        ),
      })
      .meta({ id: 'RequestListMeta' }),
  })
  .meta({ id: 'RequestList' });
export type RequestList = z.infer<typeof requestListSchema>;
