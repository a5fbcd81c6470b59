import { z } from 'zod';
import { creationConditionFields, filterOf, filterSchema } from '../conditions/signal-conditions.ts';
import { describedInstant } from '../instant.ts';
import { count, described, timestamp } from '../members.ts';
import { asOfDelayS } from '../queries.ts';
import { pagingParameters, wholeNumber, withPagingRules } from '../query-parameters.ts';
import { nameText } from '../text.ts';
import { exitCountsSchema, exitKinds } from './realizable.ts';
import { signalIdSchema, signalTypeListSchema, signalTypeSchema } from './signal.ts';
import { percentilesSchema } from './statistics.ts';

/** The most signals that a backtest goes through. */
export const maxBacktestSignals = 10_000;
/** The longest time that `since` may be before `as_of`, in days. */
export const maxBacktestDays = 400;
/** The most backtests of an account that wait or run at the same time. */
export const maxUnfinishedBacktests = 3;
/** The most backtests that an account can have. */
export const maxBacktests = 100;
/** How long a backtest is kept after it was asked for, in days. */
export const backtestKeptDays = 30;
/** The most trades that a result names as the best, and as the worst. */
export const maxNamedTrades = 5;
/** The most trades on a page: ten pages hold all trades of a backtest. */
export const maxTradesOnPage = 1_000;
/** The most bars of a result's histogram. */
export const maxHistogramBars = 40;

/** The identifier of a backtest. */
export const backtestIdSchema = z
  .string()
  .regex(/^bt_[0-9A-Za-z]{20,26}$/, 'must be a backtest identifier, such as bt_01J9ZQ6W8T3M5N7P9R1S3V5X7Z')
  .meta({ example: 'bt_01J9ZR0B2D4F6H8K0M2P4R6T8V' });

const nameMeans = 'What you call it, up to 80 characters';
const name = nameText(80).meta({ example: 'Patient, big pools' });

const sinceMeans =
  'Signals created after this instant, itself excluded. A bare date means 00:00 UTC of that day.';
const untilMeans =
  'Signals created up to this instant, itself included; without it, up to `as_of`. A bare date means 00:00 UTC.';
const asOfMeans =
  'Nothing that was known later has a part in the result; without it, a minute ago. At least ' +
  `${asOfDelayS} seconds ago. A bare date means 00:00 UTC of that day.`;

const isPremium = z.boolean();
const between = (min: number, max: number) => {
  const message = `must be a number from ${min} to ${max}`;
  return z.number(message).min(min, message).max(max, message);
};
const wholeBetween = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};
const usd = between(0, Number.MAX_SAFE_INTEGER);

/** Conditions for a purchase, by the figures that were known then. Null stands for no condition. */
const figureFilters = z.strictObject({
  min_mcap: usd.describe('The lowest market cap at the purchase, US dollars.').nullable(),
  max_mcap: usd.describe('The highest market cap at the purchase, US dollars.').nullable(),
  min_liquidity: usd.describe('The lowest liquidity at the purchase, US dollars.').nullable(),
  min_volume_24h: usd
    .describe('The lowest volume of the 24 hours before the purchase, US dollars.')
    .nullable(),
  min_holders: wholeBetween(0, Number.MAX_SAFE_INTEGER)
    .describe('The lowest number of holders at the purchase.')
    .nullable(),
});

const filterMeans =
  'Only signals that met all conditions when they were created, by what was known then: fields of an event’s `data` ' +
  'without `performance` and `metrics.mcap_ath`. Null for none.';
const minuteMeans =
  'Minutes from the signal’s creation to the earliest purchase. The signal is bought with the first figures with liquidity ' +
  'that become known in the hour after that.';
const sizeMeans = 'What each purchase costs, US dollars, its fee included.';
const targetMeans =
  'Sells when the market cap is at least this multiple of the one at the purchase, twice in a row; null for no target.';
const stopMeans =
  'Sells when the market cap is at most this multiple of the one at the purchase, twice in a row; null for no stop.';
const holdMeans = 'Sells with the first figures after this many hours.';
const feeMeans = 'Percent of each trade, of the purchase and of the sale.';
const impactMeans =
  'Whether a trade moves the price against itself: x·v/(x+v) of a constant-product pool, x being half of the liquidity.';

const size = between(1, 1_000_000).meta({ example: 100 });
const target = between(1.01, 1_000).nullable().meta({ example: 2 });
const stop = between(0.01, 0.99).nullable().meta({ example: 0.5 });
const fee = between(0, 50).meta({ example: 1 });

/**
 * Body of `POST /v1/backtests`. A member that is left out has its value in the exit rule `v1`. The parameters of a backtest are such a
 * body, so a client can ask for it again.
 */
export const createBacktestSchema = z
  .strictObject({
    name: name.nullish().describe(`${nameMeans}; without it, or with null, it has no name.`),
    filters: z
      .strictObject({
        since: describedInstant(sinceMeans).meta({ example: '2026-01-01T00:00:00.000Z' }),
        until: describedInstant(untilMeans).optional(),
        types: signalTypeListSchema.optional().describe('Signals of these types; without it, of all types.'),
        is_premium: isPremium.nullish().describe('Only premium signals, or only others; null for both.'),
        ...figureFilters.partial().shape,
      })
      .describe(
        'Which signals are bought. `null` for `is_premium` or a figure means the same as leaving it out.',
      ),
    filter: filterOf(creationConditionFields).nullish().describe(filterMeans),
    delay_minutes: wholeBetween(0, 1_440).default(1).describe(minuteMeans),
    size_usd: size.default(100).describe(sizeMeans),
    target: target.default(2).describe(targetMeans),
    stop: stop.default(0.5).describe(stopMeans),
    hold_hours: wholeBetween(1, 720).default(168).describe(holdMeans),
    costs: z
      .strictObject({
        fee_percent: fee.default(1).describe(feeMeans),
        price_impact: z.boolean().default(true).describe(impactMeans),
      })
      .default({ fee_percent: 1, price_impact: true })
      .describe('What each trade costs.'),
    as_of: describedInstant(asOfMeans).optional(),
  })
  .describe('A member that is left out has its value in the exit rule `v1`.')
  .meta({ id: 'CreateBacktest' });
export type CreateBacktest = z.infer<typeof createBacktestSchema>;

/** What a backtest computes: its request, with the default of each member that was left out. */
export const backtestParametersSchema = z
  .strictObject({
    filters: z.strictObject({
      since: timestamp.describe(sinceMeans).meta({ example: '2026-01-01T00:00:00.000Z' }),
      until: timestamp
        .describe('Signals created up to this instant, itself included.')
        .meta({ example: '2026-01-08T00:00:00.000Z' }),
      types: signalTypeListSchema.describe('All six where none were named.'),
      is_premium: isPremium.nullable(),
      ...figureFilters.shape,
    }),
    filter: filterSchema.nullable().describe(filterMeans),
    delay_minutes: z.int().describe(minuteMeans).meta({ example: 1 }),
    size_usd: size.describe(sizeMeans),
    target: target.describe(targetMeans),
    stop: stop.describe(stopMeans),
    hold_hours: z.int().describe(holdMeans).meta({ example: 168 }),
    costs: z.strictObject({
      fee_percent: fee.describe(feeMeans),
      price_impact: z.boolean().describe(impactMeans).meta({ example: true }),
    }),
    as_of: timestamp
      .describe('Nothing that was known later has a part in the result.')
      .meta({ example: '2026-01-08T00:00:00.000Z' }),
  })
  .meta({ id: 'BacktestParameters' });
export type BacktestParameters = z.infer<typeof backtestParametersSchema>;

const someCount = count.meta({ example: 40 });

/** What the trades with some signals earned. Without trades all figures are 0. */
export const tradeFiguresSchema = z
  .strictObject({
    trades: someCount.describe('Signals that were bought.'),
    profit_usd: described(
      z.number(),
      'US dollars after costs, two decimals. A position that is not sold counts as sold with the newest figures.',
      -154.4,
    ),
    avg_roi: z.number().describe('Mean result of a trade, percent, two decimals.').meta({ example: -3.86 }),
    profitable: described(
      z.number().min(0).max(100),
      'Percent of the trades with a result above 0, two decimals.',
      37.5,
    ),
  })
  .meta({ id: 'TradeFigures' });
export type TradeFigures = z.infer<typeof tradeFiguresSchema>;

/** A trade of a backtest. */
export const backtestTradeSchema = z
  .strictObject({
    signal_id: signalIdSchema,
    symbol: z.string().meta({ example: 'NOVA' }),
    type: signalTypeSchema,
    entered_at: timestamp.describe('When the figures became known at which the signal was bought.'),
    exited_at: timestamp
      .nullable()
      .describe('When the figures became known at which the signal was sold; null while it is not sold.')
      .meta({ example: '2026-01-02T01:30:00.000Z' }),
    exit: described(z.enum(exitKinds).nullable(), 'As `by_exit` says; null while it is not sold.', 'target'),
    roi: z.number().describe('Percent after costs, two decimals.').meta({ example: 104.2 }),
    profit_usd: z.number().describe('US dollars, two decimals.').meta({ example: 104.2 }),
  })
  .meta({ id: 'BacktestTrade' });
export type BacktestTrade = z.infer<typeof backtestTradeSchema>;

/** The figures of a finished backtest. */
export const backtestSummarySchema = z
  .strictObject({
    signals: described(count, 'Signals of the chosen time, types and kind (premium or not).', 52),
    not_bought: z
      .strictObject({
        no_entry: described(
          count,
          'No figures with liquidity became known in the hour after the delay, or the token was known as dead or rugged.',
          7,
        ),
        filtered: described(
          count,
          'The signal did not meet `filter`, or the figures at the purchase were not as `filters` wants them.',
          5,
        ),
      })
      .describe('The signals without a trade.'),
    ...tradeFiguresSchema.shape,
    realized_usd: described(
      z.number(),
      'The part of `profit_usd` that sold trades earned, US dollars. The rest is what positions that are not sold were worth.',
      -120.15,
    ),
    roi: percentilesSchema.describe('Of the results of the trades.'),
    by_exit: exitCountsSchema.describe(
      'Trades by how they ended: `target`, `stop`, `end` of the time or of the token (dead, rugged); `open`: not sold.',
    ),
    by_type: z
      .partialRecord(signalTypeSchema, tradeFiguresSchema)
      .describe('All chosen types.')
      .meta({ example: { new: { trades: 40, profit_usd: -154.4, avg_roi: -3.86, profitable: 37.5 } } }),
    avg_hours_held: z
      .number()
      .min(0)
      .describe('Mean time from purchase to sale, hours, two decimals, of sold ones.')
      .meta({ example: 17.4 }),
    max_open: described(
      count,
      'The most positions at the same time. Times `size_usd`: the capital that was needed.',
      14,
    ),
    max_drawdown_usd: z
      .number()
      .min(0)
      .describe('The largest fall of the equity curve from an earlier high, US dollars, by full minutes.')
      .meta({ example: 1_310.75 }),
    best: z.array(backtestTradeSchema).max(maxNamedTrades).describe('The trades with the highest results.'),
    worst: z.array(backtestTradeSchema).max(maxNamedTrades).describe('The trades with the lowest results.'),
    hourly_before: timestamp
      .describe(
        'Before this instant, the history has one observation an hour, and those that mattered; see the guide.',
      )
      .meta({ example: '2025-12-09T00:00:00.000Z' }),
  })
  .meta({ id: 'BacktestSummary' });
export type BacktestSummary = z.infer<typeof backtestSummarySchema>;

/** The result of a finished backtest. */
export const backtestResultSchema = backtestSummarySchema
  .extend({
    histogram: z
      .array(
        z.strictObject({
          from: described(z.number(), 'Results of at least so many percent.', -60),
          to: described(z.number().nullable(), 'And of less than this; null: however high.', -55),
          trades: count.meta({ example: 3 }),
        }),
      )
      .max(maxHistogramBars)
      .describe(
        'Trades by their results, the lowest first, without a gap. Bars are equally wide, and 0 is between two of them. The last ' +
          'bar has no end where a few results are far above the others. Without trades it is empty.',
      ),
    equity: z
      .strictObject({
        interval_minutes: z
          .literal([1, 5, 15, 60, 1_440])
          .describe(
            'The distance of the points: the shortest with at most 336 of them, or a day. The first and the last point may be nearer.',
          )
          .meta({ example: 60 }),
        points: z.array(
          z.strictObject({
            at: timestamp,
            profit_usd: described(
              z.number(),
              'Of all trades up to then, US dollars. A position that was not sold counts as sold then.',
              -8.1,
            ),
            realized_usd: described(z.number(), 'Of the trades that were sold by then, US dollars.', -4.2),
            drawdown_usd: z
              .number()
              .min(0)
              .describe(
                'The largest fall from an earlier high since the point before, US dollars, by full minutes.',
              )
              .meta({ example: 12.4 }),
            open: described(count, 'Positions that were not sold then.', 3),
          }),
        ),
      })
      .describe(
        'The profit over time, oldest first, until nothing changes any more. Without trades it is empty.',
      ),
  })
  .meta({ id: 'BacktestResult' });
export type BacktestResult = z.infer<typeof backtestResultSchema>;

const backtestStatuses = ['queued', 'running', 'completed', 'failed'] as const;
export type BacktestStatus = (typeof backtestStatuses)[number];

const backtestFields = {
  id: backtestIdSchema,
  name: name.nullable().describe(`${nameMeans}; null where it has no name.`),
  status: z
    .enum(backtestStatuses)
    .describe('`queued` and `running` change by themselves; `completed` has a result, `failed` an error.')
    .meta({ example: 'completed' }),
  progress: z
    .strictObject({
      done: count.meta({ example: 52 }),
      total: described(count, 'Signals to go through.', 52),
    })
    .describe('Signals that were gone through.'),
  parameters: backtestParametersSchema,
  error: z.string().nullable().describe('Why it failed; null where it did not.'),
  created_at: timestamp,
  finished_at: described(timestamp.nullable(), 'Null while it is not finished.', '2026-01-08T00:02:06.000Z'),
};
const onceCompleted = 'Null before `status` is `completed`.';

/** A backtest in a list: its result is without the histogram and the equity curve. */
export const backtestListItemSchema = z
  .strictObject({
    ...backtestFields,
    result: backtestSummarySchema
      .nullable()
      .describe(`${onceCompleted} Without \`histogram\` and \`equity\` in lists.`),
  })
  .meta({ id: 'BacktestListItem' });
export type BacktestListItem = z.infer<typeof backtestListItemSchema>;

/** A backtest as its account sees it. */
export const backtestSchema = z
  .strictObject({
    ...backtestFields,
    result: backtestResultSchema.nullable().describe(onceCompleted),
  })
  .meta({ id: 'Backtest' });
export type Backtest = z.infer<typeof backtestSchema>;

/** The query of `GET /v1/backtests/{backtest_id}/trades`. */
export const listTradesQuerySchema = withPagingRules(
  z.strictObject({
    ...pagingParameters,
    limit: wholeNumber(1, maxTradesOnPage).default(20).describe('Trades per page.'),
  }),
);
export type ListTradesQuery = z.infer<typeof listTradesQuerySchema>;

/** The answer to `DELETE /v1/backtests/{id}`. */
export const deletedBacktestSchema = z
  .strictObject({ id: backtestIdSchema, deleted: z.literal(true) })
  .meta({ id: 'DeletedBacktest' });
