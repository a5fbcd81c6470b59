export type { Answer, Page } from './answer.ts';
export {
  BacktestFailedError,
  type Backtests,
  type CompletedBacktest,
  type RunBacktestOptions,
} from './backtests.ts';
export {
  type ErrorCode,
  type ErrorDetail,
  type RefusalCode,
  SigcastConnectionError,
  SigcastError,
  SigcastTimeoutError,
} from './errors.ts';
export type { Events, Signals, Stats, Webhooks } from './generated/calls.ts';
export { eventFilterFields, type FilterField } from './generated/filter-fields.ts';
export type * from './generated/types.ts';
export {
  sentEventTypeValues,
  signalStatusValues,
  signalTypeValues,
  webhookEventTypeValues,
} from './generated/types.ts';
export type { OneOrMore } from './query.ts';
export type { RateLimit } from './rate-limit.ts';
export { Sigcast, type SigcastOptions } from './sigcast.ts';
export { signWebhook } from './sign-webhook.ts';
export type { StreamConnection, StreamOptions } from './stream.ts';
export type { CallOptions, IdempotentOptions } from './transport.ts';
export {
  type BatchedEvent,
  type VerificationFailure,
  type VerifyOptions,
  verifyWebhook,
  verifyWebhookBatch,
  type WebhookBody,
  WebhookVerificationError,
} from './verify-webhook.ts';
export {
  type NodeWebhookRequest,
  type NodeWebhookResponse,
  nodeWebhookHandler,
  type WebhookDelivery,
  type WebhookHandlerOptions,
  webhookHandler,
} from './webhook-handler.ts';
export type { WebhookHeaders } from './webhook-headers.ts';
