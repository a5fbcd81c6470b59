export type { Answer, ListMeta, Page, PageQuery } from './answer.ts';
export type * from './backtest.ts';
export { BacktestFailedError } from './backtest.ts';
export type { Backtests, CreateBacktestOptions, RunBacktestOptions } from './backtests.ts';
export {
  type ErrorCode,
  type ErrorDetail,
  type RefusalCode,
  SigcastConnectionError,
  SigcastError,
  SigcastTimeoutError,
} from './errors.ts';
export type { Events, EventsMeta, EventsQuery, SignalEvent } from './events.ts';
export type { OneOrMore } from './query.ts';
export type { RateLimit } from './rate-limit.ts';
export { Sigcast, type SigcastOptions } from './sigcast.ts';
export { signWebhook } from './sign-webhook.ts';
export type {
  HistoryBucket,
  HistoryFigures,
  ListSignalsQuery,
  Outcome,
  Realizable,
  Resolution,
  Signal,
  SignalFilter,
  SignalHistory,
  SignalHistoryQuery,
  SignalInclude,
  SignalListItem,
  SignalStatus,
  Signals,
  SignalType,
  StatusChange,
} from './signals.ts';
export type {
  Distribution,
  Interval,
  Percentiles,
  Period,
  RealizableStatistics,
  Statistics,
  StatisticsPoint,
  StatisticsQuery,
  StatisticsSeries,
  StatisticsSeriesQuery,
  Stats,
  TypeDistribution,
  TypeRealizableStatistics,
  TypeStatistics,
} from './statistics.ts';
export type { StreamConnection, StreamOptions } from './stream.ts';
export type { CallOptions } from './transport.ts';
export {
  type VerificationFailure,
  type VerifyOptions,
  verifyWebhook,
  WebhookVerificationError,
} from './verify-webhook.ts';
export type * from './webhook.ts';
export {
  type NodeWebhookRequest,
  type NodeWebhookResponse,
  nodeWebhookHandler,
  type WebhookDelivery,
  type WebhookHandlerOptions,
  webhookHandler,
} from './webhook-handler.ts';
export type { WebhookHeaders } from './webhook-headers.ts';
export type { DeliveryFilter, ListDeliveriesQuery, Webhooks } from './webhooks.ts';
