/**
 * The client's types are written by hand, so that it is published without the rest and reads well in an editor. Here
 * the compiler holds them against the schemas that validate; `check` fails where they differ.
 */
import type * as contracts from '@sigcast/contracts';
import type { z } from 'zod';
import type * as client from '../src/index.ts';

/** The same members throughout, whatever they were put together from. */
type Plain<T> = T extends object ? { -readonly [Key in keyof T]: Plain<T[Key]> } : T;
type Same<One, Other> =
  (<T>() => T extends Plain<One> ? 1 : 2) extends <T>() => T extends Plain<Other> ? 1 : 2 ? true : false;
/** Whatever the client lets one send, the API takes. */
type Takes<Contract, Client> = [Plain<Client>] extends [Plain<Contract>] ? true : false;

/** What JSON makes of it. */
type AsSent<T> = T extends Date ? string : T extends object ? { [Key in keyof T]: AsSent<T[Key]> } : T;
/** With nothing left out. */
type Whole<T> = T extends object ? { [Key in keyof T]-?: Whole<Exclude<T[Key], undefined>> } : T;

type Input<Schema extends z.ZodType> = z.input<Schema>;

/** Each is true, or this file does not compile. */
export const agreement: readonly true[] = [
  true satisfies Same<contracts.SignalType, client.SignalType>,
  true satisfies Same<contracts.SignalStatus, client.SignalStatus>,
  true satisfies Same<contracts.ListedSignal, client.SignalListItem>,
  true satisfies Same<contracts.ShownSignal, client.Signal>,
  true satisfies Same<contracts.Realizable, client.Realizable>,
  true satisfies Same<contracts.SignalHistory, client.SignalHistory>,
  true satisfies Same<contracts.Statistics, client.Statistics>,
  true satisfies Same<contracts.StatisticsSeries, client.StatisticsSeries>,
  // The client joins the values of `include`, which the API takes as one text.
  true satisfies Takes<
    Omit<Input<typeof contracts.statsSeriesQuerySchema>, 'include'>,
    Omit<client.StatisticsSeriesQuery, 'include'>
  >,
  true satisfies Same<contracts.Period, client.Period>,
  true satisfies Same<contracts.ListMeta, client.ListMeta>,
  true satisfies Same<contracts.ErrorCode, client.ErrorCode>,
  true satisfies Same<contracts.ErrorDetail, client.ErrorDetail>,
  true satisfies Same<contracts.WebhookEventType, client.SignalEventName>,
  true satisfies Same<contracts.SubscribableEvent, client.WebhookEvent>,
  true satisfies Same<contracts.WebhookStatePayload, client.WebhookStatePayload>,
  true satisfies Same<contracts.WebhookPayload['data'], client.SignalAtEvent>,
  true satisfies Same<contracts.FeedMeta, client.EventsMeta>,
  true satisfies Same<contracts.SentEventType, client.WebhookPayload['event']>,
  true satisfies Same<contracts.Backtest, client.Backtest>,
  true satisfies Same<contracts.BacktestListItem, client.BacktestListItem>,
  true satisfies Takes<Input<typeof contracts.createBacktestSchema>, AsSent<client.CreateBacktest>>,
  true satisfies Same<
    Whole<Input<typeof contracts.createBacktestSchema>>,
    Whole<AsSent<client.CreateBacktest>>
  >,
  true satisfies Same<contracts.Webhook, client.Webhook>,
  true satisfies Same<contracts.CreatedWebhook, client.WebhookWithSecret>,
  true satisfies Same<contracts.DeliveryAttempt, client.DeliveryAttempt>,
  true satisfies Same<contracts.Delivery, client.Delivery>,
  true satisfies Same<contracts.DeliveryDetail, client.DeliveryDetail>,
  true satisfies Takes<Input<typeof contracts.createWebhookSchema>, client.CreateWebhook>,
  true satisfies Takes<Input<typeof contracts.updateWebhookSchema>, client.UpdateWebhook>,
  true satisfies Same<contracts.Recovery, client.Recovery>,
  true satisfies Same<contracts.WebhookHealth, client.WebhookHealth>,
];
