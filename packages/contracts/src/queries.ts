import { z } from 'zod';
import {
  conditionsText,
  eventConditionFields,
  maxFilterBytes,
  maxFilterCharacters,
  signalConditionFields,
} from './conditions/signal-conditions.ts';
import { describedInstant } from './instant.ts';
import { described, oneOf } from './members.ts';
import { sortFigures } from './page-cursor.ts';
import { oneOrMore, pageLimit, pageNumber, pagingParameters, withPagingRules } from './query-parameters.ts';
import { deliveryStates } from './resources/deliveries.ts';
import {
  maxContractCharacters,
  maxSymbolCharacters,
  signalIdSchema,
  signalStatuses,
  signalTypeSchema,
  signalTypes,
} from './resources/signal.ts';
import { sentEventTypeSchema, webhookEventTypes } from './resources/webhooks.ts';
import { visibleText } from './text.ts';

const signalInclude = {
  include: described(
    oneOrMore(['outcome', 'origin', 'realizable']).optional(),
    'More members, separated by commas: `outcome` for who decided the status, by which rule, on which observations; ' +
      '`origin` for the rule and the figures that the signal rests on; `realizable` for what a small order would have ' +
      'earned by the published exit rule.',
  ),
};

/** The query of `GET /v1/signals/{signal_id}`. */
export const getSignalQuerySchema = z.strictObject(signalInclude);

/** Which signals a list is of. */
const listParameters = {
  type: oneOrMore(signalTypes).optional().describe('One kind of signal, or several separated by commas.'),
  status: oneOrMore(signalStatuses).optional().describe('One status, or several separated by commas.'),
  since: describedInstant(
    'Only signals created after this instant, itself excluded. A bare date means 00:00 UTC of that day.',
  ).optional(),
  until: describedInstant(
    'Only signals created up to this instant, itself included. A bare date means 00:00 UTC of that day.',
  ).optional(),
  symbol: visibleText(maxSymbolCharacters)
    .optional()
    .describe('Only signals of tokens with exactly this symbol, in upper or lower case.'),
  contract: described(
    visibleText(maxContractCharacters).optional(),
    'Only signals of the token with this contract address: `0x…` addresses in upper or lower case, others exactly, ' +
      'whatever the chain.',
  ),
  chain: described(
    z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/, 'must be a chain’s name in lower case, such as solana')
      .optional(),
    'Only signals of tokens on this chain, by DexScreener’s name of it, such as `solana`.',
  ),
};

/** What lists of signals can be sorted by. */
const listSorts = ['created_at', ...sortFigures] as const;

const conditionsParameter = {
  filter: conditionsText(signalConditionFields)
    .optional()
    .meta({
      description:
        'Only signals that meet all conditions of this object, in JSON: fields by their path, with operators. Fields are those ' +
        'of a signal with all details, of `origin` and of `realizable`. Operators are `eq`, `ne`, `gt`, `gte`, `lt`, `lte`, ' +
        '`in`, `nin` and `exists`, and for texts `starts_with` and `contains`, in any case. With `any`, a list of such ' +
        'objects, at least one is met; with `not`, such an object, it is not met. A value that is null or missing meets ' +
        '`exists: false`, `ne` and `nin` alone. `token.contract` and `token.symbol` are equal as for `contract` and `symbol`. ' +
        `Percent-encoded, it has at most ${maxFilterBytes.toLocaleString('en')} bytes.`,
      type: 'string',
      maxLength: maxFilterCharacters,
      examples: ['{"metrics.liquidity":{"gte":50000},"origin.risks.mintable":{"eq":false}}'],
    }),
};

/** The query of `GET /v1/signals`, without `as_of`. */
export const listSignalsQuerySchema = withPagingRules(
  z.strictObject({
    ...listParameters,
    ...conditionsParameter,
    sort: described(
      oneOf(listSorts).optional(),
      'What the list is sorted by, the highest first; among equal ones, the highest id. Without it: `created_at`.',
    ),
    ...signalInclude,
    ...pagingParameters,
  }),
);
export type ListSignalsQuery = z.infer<typeof listSignalsQuerySchema>;

/** How long ago `as_of` must be, in seconds: by then all that was known is recorded. */
export const asOfDelayS = 60;

/** The parameter of requests that ask what was known at an instant. */
export const asOfParameter = {
  as_of: describedInstant(
    'What was known at this instant, instead of now: by the time at which each change was recorded, so nothing later is ' +
      `in the answer. At least ${asOfDelayS} seconds ago. A bare date means 00:00 UTC of that day.`,
  ),
};

const notWithAsOf = (message: string) => z.undefined(message).optional();
const noOutcome = {
  include: notWithAsOf(
    'must not be used together with as_of; GET /v1/signals/{signal_id}/history has all changes of the status',
  ),
};

/** The query of `GET /v1/signals/{signal_id}` with `as_of`. */
export const pastSignalQuerySchema = z.strictObject({ ...noOutcome, ...asOfParameter });

/** The query of `GET /v1/signals` with `as_of`. */
export const pastSignalsQuerySchema = withPagingRules(
  z.strictObject({
    ...listParameters,
    filter: notWithAsOf('must not be used together with as_of'),
    sort: notWithAsOf('must not be used together with as_of'),
    ...noOutcome,
    ...asOfParameter,
    ...pagingParameters,
  }),
);
export type PastSignalsQuery = z.infer<typeof pastSignalsQuerySchema>;

/** The periods of statistics: signals created within this time up to now. */
export const periods = ['24h', '7d', '30d', 'all'] as const;
export type Period = (typeof periods)[number];

const statsParameters = {
  type: signalTypeSchema.optional().describe('Only signals of this kind.'),
  period: oneOf(periods).default('all').describe('Only signals created in this time up to now.'),
};

/** The query of `GET /v1/stats`, without `as_of`. */
export const statsQuerySchema = z.strictObject({
  ...statsParameters,
  include: described(
    oneOrMore(['distribution', 'realizable']).optional(),
    'More figures: `distribution` for percentiles, counts by status and the time to the all-time high; `realizable` ' +
      'for what a small order by the exit rule earned. One, or both separated by a comma.',
  ),
});
export type StatsQuery = z.infer<typeof statsQuerySchema>;

/** The most signals that statistics as of an instant are made of. */
export const maxPastSignals = 5_000;

/**
 * The most signals that the total of a list as of an instant, or of a token or a chain, is counted over, and that conditions
 * are applied to.
 */
export const maxPastTotal = 20_000;

/** The query of `GET /v1/stats` with `as_of`. */
export const pastStatsQuerySchema = z.strictObject({
  ...statsParameters,
  include: oneOrMore(['distribution'], 'must be distribution where there is as_of').optional(),
  ...asOfParameter,
});
export type PastStatsQuery = z.infer<typeof pastStatsQuerySchema>;

/** What one point of a series covers. */
export const intervals = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];

/** The most points of a series: the days of eight years, 444 kB, which the gateway can buffer for a slow client. */
export const maxSeriesPoints = 3_000;

/** The query of `GET /v1/stats/series`. */
export const statsSeriesQuerySchema = z
  .strictObject({
    ...statsParameters,
    interval: described(
      oneOf(intervals).optional(),
      'What one point covers, in UTC; weeks begin on Monday. Without it: `hour` for the period `24h`, `day` for the ' +
        'others, or `week` where there are more than 3,000 days. `hour` and `all` can’t be combined.',
    ),
    include: oneOrMore(['realizable'], 'must be realizable')
      .optional()
      .describe('More figures: `realizable` for what a small order by the exit rule earned on average.'),
  })
  .refine(({ period, interval }) => !(period === 'all' && interval === 'hour'), {
    path: ['interval'],
    message: `must be day, week or month where period is all: an answer has at most ${maxSeriesPoints} points`,
  });
export type StatsSeriesQuery = z.infer<typeof statsSeriesQuerySchema>;

/** What one bucket of a signal's history covers. */
export const resolutions = ['1m', '5m', '1h', '1d', '1w'] as const;
export type Resolution = (typeof resolutions)[number];

/** The most buckets of a history. */
export const maxHistoryBuckets = 1_000;
/** The most buckets of a history whose resolution the service chooses. */
export const usualHistoryBuckets = 500;

/** The query of `GET /v1/signals/{signal_id}/history`. */
export const signalHistoryQuerySchema = z.strictObject({
  from: describedInstant(
    'Only observations from this instant on, itself included; without it, from the signal’s creation. A bare date ' +
      'means 00:00 UTC of that day.',
  ).optional(),
  until: describedInstant(
    'Only observations up to this instant, itself included; without it, up to now. A bare date means 00:00 UTC of ' +
      'that day.',
  ).optional(),
  resolution: described(
    oneOf(resolutions).optional(),
    'What one bucket covers, in UTC; weeks begin on Monday. Without it: the finest with at most 500 buckets of the ' +
      'signal’s life between `from` and `until`.',
  ),
});
export type SignalHistoryQuery = z.infer<typeof signalHistoryQuerySchema>;

/** The query of lists that are read by page only. */
export const pageQuerySchema = z.strictObject({
  limit: pageLimit,
  page: pageNumber.default(1).describe('Page number, from 1.'),
});

/** The query of `GET /v1/webhooks/{id}/deliveries`. */
export const listDeliveriesQuerySchema = withPagingRules(
  z.strictObject({
    status: oneOf(deliveryStates)
      .optional()
      .describe('Only deliveries with this status. `retrying`: pending ones that were attempted before.'),
    event: sentEventTypeSchema.optional().describe('Only deliveries of this event.'),
    http_status: z
      .string()
      .regex(/^(none|[1-5][0-9]{2})$/, 'must be an HTTP status from 100 to 599, or none')
      .optional()
      .describe(
        'Only deliveries whose last attempt your endpoint answered with this status; `none`: did not answer.',
      ),
    signal_id: signalIdSchema.optional().describe('Only deliveries about this signal.'),
    since: describedInstant(
      'Only deliveries made after this instant, itself excluded. A bare date means 00:00 UTC.',
    ).optional(),
    ...pagingParameters,
  }),
);
export type ListDeliveriesQuery = z.infer<typeof listDeliveriesQuerySchema>;

const cursorText = z.string().min(1).max(100);

/** Which events a list or a stream brings; names as in a webhook subscription. */
const eventFilters = {
  events: oneOrMore(webhookEventTypes)
    .optional()
    .describe('One kind of event, or several separated by commas; all where it is left out.'),
  types: oneOrMore(signalTypes)
    .optional()
    .describe('Only events of signals of this kind, or of several separated by commas.'),
  filter: conditionsText(eventConditionFields)
    .optional()
    .meta({
      description:
        'Only events whose signal met all conditions of this object, in JSON, right after the event: as `filter` of ' +
        '`GET /v1/signals`, on the fields that events have.',
      type: 'string',
      maxLength: maxFilterCharacters,
      examples: ['{"metrics.mcap_entry":{"gte":50000},"token.chain":{"in":["solana","base"]}}'],
    }),
};

/** Another name of a filter. */
const otherNameOf = <T extends string>(name: keyof typeof eventFilters, values: readonly [T, ...T[]]) =>
  oneOrMore(values)
    .optional()
    .meta({ description: `Another name of \`${name}\`.`, deprecated: true });

/** The query of `GET /v1/events`. */
export const listEventsQuerySchema = z
  .strictObject({
    after: described(
      cursorText.optional(),
      'Where to read on: `meta.next_cursor` of an answer, the id of an event you have (`webhook-id` of a delivery, ' +
        '`id` of a stream), or `latest` for the end of the feed. Without it: from the oldest event kept, or with ' +
        '`order=desc` from the newest.',
    ),
    order: z
      .enum(['asc', 'desc'], 'must be asc or desc')
      .default('asc')
      .describe('`asc`: oldest first. `desc`: newest first, and `after` reads on to older events.'),
    ...eventFilters,
    type: otherNameOf('events', webhookEventTypes),
    signal_type: otherNameOf('types', signalTypes),
    signal_id: signalIdSchema.optional().describe('Only events of this signal.'),
    limit: pageLimit,
  })
  .refine(({ type, events }) => type === undefined || events === undefined, {
    path: ['type'],
    message: 'must not be used together with events, which is the same filter',
  })
  .refine(({ signal_type, types }) => signal_type === undefined || types === undefined, {
    path: ['signal_type'],
    message: 'must not be used together with types, which is the same filter',
  });

/** The query of `GET /v1/stream`. */
export const streamQuerySchema = z.strictObject({
  ...eventFilters,
  last_event_id: described(
    cursorText.optional(),
    'The same as `Last-Event-ID`, for clients that can’t send headers. The header takes precedence.',
  ),
});
