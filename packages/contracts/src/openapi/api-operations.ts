import { listSchema, successSchema } from '../envelope.ts';
import {
  getSignalQuerySchema,
  listEventsQuerySchema,
  listSignalsQuerySchema,
  maxPastTotal,
  pastSignalQuerySchema,
  pastSignalsQuerySchema,
  pastStatsQuerySchema,
  signalHistoryQuerySchema,
  statsQuerySchema,
  statsSeriesQuerySchema,
  streamQuerySchema,
} from '../queries.ts';
import {
  eventIdSchema,
  eventListSchema,
  feedEventSchema,
  maxTriedEvents,
  triedFilterSchema,
  tryFilterSchema,
} from '../resources/event-feed.ts';
import { signalHistorySchema } from '../resources/history.ts';
import { listedSignalSchema, shownSignalSchema } from '../resources/outcome.ts';
import { signalProofSchema } from '../resources/proof.ts';
import { signalIdSchema } from '../resources/signal.ts';
import { statisticsSchema, statisticsSeriesSchema } from '../resources/statistics.ts';
import { backtestOperations, backtestParameters } from './backtest-operations.ts';
import type { ApiOperation, PathParameters } from './operation.ts';
import { webhookOperations, webhookParameters } from './webhook-operations.ts';

/** Parameters in paths under /v1. */
export const apiParameters = {
  signal_id: { schema: signalIdSchema, description: 'A signal’s identifier.' },
  event_id: { schema: eventIdSchema, description: 'An event’s identifier.' },
  ...backtestParameters,
  ...webhookParameters,
} satisfies PathParameters;

/** All operations under /v1, with an API key. */
export const apiOperations = [
  {
    method: 'get',
    path: '/v1/signals',
    id: 'listSignals',
    service: 'signals',
    scope: 'signals:read',
    call: 'signals.list',
    tool: true,
    costly: { cost: 5, unless: { filter: '', sort: 'created_at' } },
    past: { service: 'tracker', cost: 5, query: pastSignalsQuerySchema },
    tag: 'Signals',
    summary: 'List signals',
    description:
      'Signals with their token, metrics and performance, newest first, or highest first by the figure that `sort` names. ' +
      'Filter by type, status, time, token or any other field (`filter`), and follow `meta.next_cursor` to read everything: ' +
      'no signal is skipped or repeated while new ones arrive. With `as_of`, you get the list as it was known at that ' +
      'instant. In a list sorted by a figure, only signals whose figure changes meanwhile may be skipped or repeated. Equal ' +
      'ones are ordered by `id` descending. With `as_of`, filters apply to the figures and statuses of that instant, and ' +
      `\`include\`, \`filter\` and \`sort\` can’t be used. The total then counts at most ${maxPastTotal.toLocaleString('en')} ` +
      'signals, as for `symbol`, `contract` and `chain`; `meta.total_capped` says where there are more. A `filter`, and a ' +
      `\`sort\` by a figure, examines at most ${maxPastTotal.toLocaleString('en')} signals, and the total of these is exact. ` +
      'If the other parameters and the conditions that an index serves leave more, the answer is 400 and names `filter` or ' +
      '`sort`. An index serves `created_at`, `eq` and `in` of `type` and `performance.status`, and `eq` of `token.chain`, ' +
      '`token.contract` and `token.symbol`, outside `any` and `not`.',
    query: listSignalsQuerySchema,
    success: 'A page of signals.',
    answer: listSchema(listedSignalSchema),
    paged: true,
    conditional: true,
  },
  {
    method: 'get',
    path: '/v1/signals/{signal_id}',
    id: 'getSignal',
    service: 'signals',
    scope: 'signals:read',
    call: 'signals.get',
    tool: true,
    past: { service: 'tracker', cost: 1, query: pastSignalQuerySchema },
    tag: 'Signals',
    summary: 'Get a signal',
    description:
      'The token, metrics and performance of a signal, and when the signal last changed. With `include=outcome`, the ' +
      'answer also says who decided the status, by which rule, and on which observations; with `include=origin`, by which ' +
      'rule the signal was made, and from which figures; with `include=realizable`, what an order of 100 US dollars would have earned by the published exit rule, after costs. With `as_of`, the ' +
      'answer is the signal as it was known at that instant, and 404 where it was not known; `include` can’t be used with it.',
    query: getSignalQuerySchema,
    success: 'The signal with all details.',
    answer: successSchema(shownSignalSchema),
    errors: ['NOT_FOUND'],
    conditional: true,
  },
  {
    method: 'get',
    path: '/v1/signals/{signal_id}/history',
    id: 'getSignalHistory',
    service: 'tracker',
    scope: 'signals:read',
    call: 'signals.history',
    tool: true,
    tag: 'Signals',
    summary: 'Get a signal’s history',
    description:
      'Market cap and liquidity over time, for charts: the observations of a signal in buckets of a minute, five minutes, an hour, a day or a week (UTC), with its entry, its ' +
      'all-time high and every change of its status. The history follows a change of the signal within a second. It is ' +
      '404 where no history was recorded: for a moment after a signal is created, and for an old signal that has not ' +
      'changed since the system keeps histories. An answer has at most 1,000 buckets; for more, it is 400 and names ' +
      '`resolution`. Of observations older than 30 days the last of each hour is kept, and those that change the status ' +
      'or are a new all-time high.',
    query: signalHistoryQuerySchema,
    success: 'The buckets that have observations, oldest first.',
    answer: successSchema(signalHistorySchema),
    errors: ['NOT_FOUND'],
    conditional: true,
  },
  {
    method: 'get',
    path: '/v1/signals/{signal_id}/proof',
    id: 'getSignalProof',
    service: 'tracker',
    scope: 'signals:read',
    call: 'signals.proof',
    tool: true,
    tag: 'Signals',
    summary: 'Get a signal’s proof',
    description:
      'Proves that a signal and its outcome are in the public log. `entries` is what was published about the signal, word for word: the signal when it was created, each ' +
      'decision of its outcome, and corrections. Each entry has the proof that the signed checkpoint has it. It is 404 until ' +
      'the log has the signal, some two seconds after it is created.',
    success: 'The entries, oldest first.',
    answer: successSchema(signalProofSchema),
    errors: ['NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/v1/stats',
    id: 'getStatistics',
    service: 'stats',
    scope: 'stats:read',
    call: 'stats.get',
    tool: true,
    past: { service: 'tracker', cost: 10, query: pastStatsQuerySchema },
    tag: 'Statistics',
    summary: 'Get statistics',
    description:
      'Counts, win rate and returns of the signals created in a period, in total and by type. Figures follow a change of a signal within a second. With ' +
      '`include=distribution`, the answer also has percentiles of `roi` and `ath_roi` (nearest rank, each within 0.5 % of ' +
      'its exact value), the number of signals of each status, and the mean time to the all-time high. With ' +
      '`include=realizable`, it has what an order of 100 US dollars would have earned after costs, bought and sold by a ' +
      'published rule: the mean, the part in profit, percentiles, and how the orders were sold. With `as_of`, the figures ' +
      'are those of that instant, over the signals created in the period before it. The period may then have at most ' +
      '5,000 signals: with more, the answer is 400 and names `period`; and `include=realizable` can’t be used.',
    query: statsQuerySchema,
    success: 'The figures, exact at `data.as_of`.',
    answer: successSchema(statisticsSchema),
    conditional: true,
  },
  {
    method: 'get',
    path: '/v1/stats/series',
    id: 'getStatisticsSeries',
    service: 'stats',
    scope: 'stats:read',
    call: 'stats.series',
    tool: true,
    tag: 'Statistics',
    summary: 'Get statistics over time',
    description:
      'The figures of `GET /v1/stats` for each hour or day (UTC) of a period, for charts, by the time when signals were created. ' +
      'Totals of the points add up to those of the period. The first point is the interval in which the period begins; ' +
      'for `all`, the first interval that has a signal. The last point is the interval of `as_of`, or of a signal ' +
      'whose producer’s clock is ahead. An answer has at most 3,000 points; if `all` reaches back more than 3,000 ' +
      'days, the answer is 400 and names `period`. With `include=realizable`, each point also has what an order by the ' +
      'exit rule earned on average with the signals created in it.',
    query: statsSeriesQuerySchema,
    success: 'The points, oldest first and without a gap, exact at `data.as_of`.',
    answer: successSchema(statisticsSeriesSchema),
    conditional: true,
  },
  ...backtestOperations,
  ...webhookOperations,
  {
    method: 'get',
    path: '/v1/events',
    id: 'listEvents',
    service: 'webhooks',
    scope: 'events:read',
    call: 'events.list',
    tool: true,
    tag: 'Events',
    summary: 'List events',
    description:
      'The events of the last 30 days, oldest first, in one order and without a gap. They have the same ids as in webhooks and streams. Keep ' +
      '`meta.next_cursor` and pass it as `after`: no event is skipped, however many arrive meanwhile. After an ' +
      'outage, pass the id of the last event you have. With a filter, an answer may hold fewer events than `limit`, ' +
      'even none, while `has_more` is true: read on. With `filter`, an answer examines at most 2,000 events. If the events after a cursor are no longer kept, the answer is ' +
      '400 and names `after`. `order=desc` gives the newest events first.',
    query: listEventsQuerySchema,
    success: 'Events in their order. Without its `id`, an event is the body of its webhook, byte for byte.',
    answer: eventListSchema,
    paged: true,
  },
  {
    method: 'get',
    path: '/v1/events/{event_id}',
    id: 'getEvent',
    service: 'webhooks',
    scope: 'events:read',
    call: 'events.get',
    tool: true,
    tag: 'Events',
    summary: 'Get an event',
    description:
      'The event about a signal with an id that you have: `webhook-id` of a delivery, or `id` of a stream or a list. Events are ' +
      'kept for 30 days. Events about webhooks, and tests, are in the log of deliveries only.',
    success: 'The event, as lists show it.',
    answer: successSchema(feedEventSchema),
    errors: ['NOT_FOUND'],
  },
  {
    method: 'post',
    path: '/v1/filters/try',
    id: 'tryFilter',
    service: 'webhooks',
    scope: 'signals:read',
    call: 'events.tryFilter',
    tag: 'Events',
    summary: 'Test a filter on past events',
    description:
      `Counts how many of the newest ${maxTriedEvents.toLocaleString('en')} events, of the kinds and types that you name, pass a filter. Nothing ` +
      'is stored or sent. Use it before you give the filter to a webhook.',
    body: tryFilterSchema,
    success: 'The counts.',
    answer: successSchema(triedFilterSchema),
  },
  {
    method: 'get',
    path: '/v1/stream',
    id: 'streamEvents',
    service: 'webhooks',
    scope: 'events:read',
    tag: 'Events',
    summary: 'Stream events',
    description:
      'Events as they happen, as server-sent events, for clients that can’t receive webhooks. `data` is the body of the webhook, byte for byte, and `id` is the id of ' +
      'the event. After 15 seconds of silence a comment comes; it may carry an `id` of its own (a cursor), so that ' +
      'resuming stays fast when filters let few events through. A stream ends after 15 minutes at the latest: connect ' +
      'again with `Last-Event-ID`, as browsers do by themselves, and nothing is missed. A stream ends within a second ' +
      'when the key is revoked or expires, when the session ends, when the password is changed, or when the account is ' +
      'suspended; connecting again is then refused. A stream counts as one request. An account may have 10 streams open ' +
      '(or as many as its plan allows), a client address about 200; one more is `CONFLICT` until one of them ends. A stream whose client vanished without ' +
      'closing the connection counts until TCP gives up, after up to 15 minutes. A client that takes nothing for 30 ' +
      'seconds is cut off. If the events after a `Last-Event-ID` are no longer kept, the answer is 400.',
    query: streamQuerySchema,
    success: 'A stream that stays open until either side ends it.',
    stream: {
      example:
        'retry: 1500\nid: pos_1041\n\nid: evt_01J9ZQ6W9A1C3E5G7J9M1N3Q5S\nevent: signal.winner\n' +
        'data: {"event":"signal.winner","timestamp":"2026-01-02T01:30:00.000Z","data":{…}}\n\n:\n\n',
    },
    errors: ['CONFLICT'],
  },
] as const satisfies readonly ApiOperation[];
