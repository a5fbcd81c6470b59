import { z } from 'zod';
import {
  accountSchema,
  apiKeySchema,
  createdApiKeySchema,
  sessionSchema,
  usageFiguresSchema,
  usageSchema,
} from '../account.ts';
import {
  backtestListItemSchema,
  backtestParametersSchema,
  backtestResultSchema,
  backtestSchema,
  backtestSummarySchema,
  backtestTradeSchema,
  deletedBacktestSchema,
  tradeFiguresSchema,
} from '../backtest.ts';
import {
  deliveryAttemptSchema,
  deliveryDetailSchema,
  deliverySchema,
  webhookHealthSchema,
} from '../deliveries.ts';
import { failureSchema, listMetaSchema } from '../envelope.ts';
import { feedEventSchema, feedMetaSchema } from '../event-feed.ts';
import {
  historyBucketSchema,
  historyFiguresSchema,
  signalHistorySchema,
  statusChangeSchema,
} from '../history.ts';
import { listedSignalSchema, outcomeSchema, shownSignalSchema } from '../outcome.ts';
import { realizableSchema } from '../realizable.ts';
import { signalDetailSchema, signalListItemSchema, signalStatusSchema, signalTypeSchema } from '../signal.ts';
import {
  distributionSchema,
  percentilesSchema,
  realizablePointSchema,
  realizableStatisticsSchema,
  statisticsPointSchema,
  statisticsSchema,
  statisticsSeriesSchema,
  typeDistributionSchema,
  typeRealizableStatisticsSchema,
  typeStatisticsSchema,
} from '../statistics.ts';
import {
  createdWebhookSchema,
  deletedWebhookSchema,
  recoverySchema,
  sentEventTypeSchema,
  subscribableEventSchema,
  webhookEventTypeSchema,
  webhookPayloadSchema,
  webhookSchema,
  webhookStatePayloadSchema,
} from '../webhooks.ts';
import { examples } from './examples.ts';
import type { JsonObject, Operation } from './operation.ts';

/** Schemas of request bodies and answers. */
const shared: Readonly<Record<string, z.ZodType>> = {
  SignalType: signalTypeSchema,
  WebhookEventType: webhookEventTypeSchema,
  SubscribableEvent: subscribableEventSchema,
  SentEventType: sentEventTypeSchema,
};

/** Parts of answers that have a name of their own. */
const resources: Readonly<Record<string, z.ZodType>> = {
  Signal: shownSignalSchema,
  Token: signalDetailSchema.shape.token,
  Metrics: signalDetailSchema.shape.metrics,
  Performance: signalDetailSchema.shape.performance,
  SignalListItem: listedSignalSchema,
  ListedToken: signalListItemSchema.shape.token,
  ListedMetrics: signalListItemSchema.shape.metrics,
  ListedPerformance: signalListItemSchema.shape.performance,
  SignalStatus: signalStatusSchema,
  Outcome: outcomeSchema,
  Realizable: realizableSchema,
  SignalHistory: signalHistorySchema,
  HistoryBucket: historyBucketSchema,
  HistoryFigures: historyFiguresSchema,
  StatusChange: statusChangeSchema,
  Statistics: statisticsSchema,
  TypeStatistics: typeStatisticsSchema,
  Distribution: distributionSchema,
  TypeDistribution: typeDistributionSchema,
  Percentiles: percentilesSchema,
  RealizableStatistics: realizableStatisticsSchema,
  TypeRealizableStatistics: typeRealizableStatisticsSchema,
  RealizablePoint: realizablePointSchema,
  StatisticsSeries: statisticsSeriesSchema,
  StatisticsPoint: statisticsPointSchema,
  Backtest: backtestSchema,
  BacktestListItem: backtestListItemSchema,
  BacktestParameters: backtestParametersSchema,
  BacktestSummary: backtestSummarySchema,
  BacktestResult: backtestResultSchema,
  BacktestTrade: backtestTradeSchema,
  TradeFigures: tradeFiguresSchema,
  DeletedBacktest: deletedBacktestSchema,
  Webhook: webhookSchema,
  CreatedWebhook: createdWebhookSchema,
  DeletedWebhook: deletedWebhookSchema,
  Delivery: deliverySchema,
  DeliveryDetail: deliveryDetailSchema,
  DeliveryAttempt: deliveryAttemptSchema,
  Recovery: recoverySchema,
  WebhookHealth: webhookHealthSchema,
  WebhookPayload: webhookPayloadSchema,
  WebhookStatePayload: webhookStatePayloadSchema,
  SignalAtEvent: webhookPayloadSchema.shape.data,
  FeedEvent: feedEventSchema,
  EventListMeta: feedMetaSchema,
  Account: accountSchema,
  Plan: accountSchema.shape.plan,
  Session: sessionSchema,
  ApiKey: apiKeySchema,
  CreatedApiKey: createdApiKeySchema,
  Usage: usageSchema,
  UsageFigures: usageFiguresSchema,
  ListMeta: listMetaSchema,
  ApiError: failureSchema.shape.error,
};

/** The reference to a schema of the document. */
export function ref(name: string): string {
  return `#/components/schemas/${name}`;
}

/**
 * All schemas by name.
 * @param closed whether objects in answers have no other members. Request bodies never have others: they would be refused.
 */
export function schemaComponents(operations: readonly Operation[], closed: boolean): JsonObject {
  const answers = z.registry<{ id: string }>();
  const bodies = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries({ ...shared, ...resources })) answers.add(schema, { id });
  for (const [id, schema] of Object.entries(shared)) bodies.add(schema, { id });
  for (const { answer, body } of operations) {
    if (answer !== undefined && !answers.has(answer.schema)) answers.add(answer.schema, { id: answer.name });
    if (body !== undefined) bodies.add(body.schema, { id: body.name });
  }
  const options = { uri: ref, unrepresentable: 'any' } as const;
  const output = z.toJSONSchema(answers, { ...options, io: 'output' }).schemas;
  const input = z.toJSONSchema(bodies, { ...options, io: 'input' }).schemas;
  const all = { ...(tidy(output, !closed) as JsonObject), ...(tidy(input, false) as JsonObject) };
  return Object.fromEntries(
    Object.entries(all).map(([name, schema]) => [
      name,
      { ...(schema as JsonObject), ...(examples[name] !== undefined && { examples: [examples[name]] }) },
    ]),
  );
}

/** Removes `$schema` and `$id`; with `open` also `additionalProperties: false`. */
function tidy(value: unknown, open: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => tidy(item, open));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, item]) => {
        if (name === '$schema' || name === '$id') return false;
        if (name === 'pattern' && 'format' in value) return false; // the format says it, and can be read
        if (name === 'maximum' && item === Number.MAX_SAFE_INTEGER) return false; // JSON's own bound
        return !(open && name === 'additionalProperties' && item === false);
      })
      .map(([name, item]) => [name, tidy(item, open)]),
  );
}
