import { z } from 'zod';
import { count } from './members.ts';
import { signalTypeSchema, signalTypes } from './resources/signal.ts';

/*
 * Answers of `GET /internal/v1/state` of signals, webhooks and the scanner, which the gateway shows to operators. The gateway ignores
 * members that it does not know.
 */

/** The scope of the gateway's token for `GET /internal/v1/state`. */
export const systemReadScope = 'system:read';

/** The state of the signals service, which publishes signal events. */
export const signalsStateSchema = z.object({
  outbox: z.object({
    /** Signals with unpublished events; 10,000 means 10,000 or more. */
    signals: count,
    /** Age of the oldest of these events in seconds, by priority; absent where none waits. */
    oldest_age_s: z.object({ live: z.number().optional(), bulk: z.number().optional() }),
  }),
  /** Queues of signal events; `messages` is null when the broker does not answer. */
  queues: z.array(
    z.object({ name: z.string(), kind: z.enum(['waiting', 'parked']), messages: count.nullable() }),
  ),
});
export type SignalsState = z.infer<typeof signalsStateSchema>;

/**
 * An enabled subscription whose deliveries fail, of an account that is not suspended; or one that was disabled for that. Only
 * the host of its address is shown.
 */
export const failingWebhookSchema = z.object({
  id: z.string(),
  account: z.string(),
  host: z.string(),
  /** Since when its deliveries fail; null once the subscription is disabled. */
  failing_since: z.iso.datetime().nullable(),
  disabled: z.object({ reason: z.enum(['failing', 'gone']), at: z.iso.datetime() }).nullable(),
});
export type FailingWebhook = z.infer<typeof failingWebhookSchema>;

/** The state of the webhooks service. */
export const webhooksStateSchema = z.object({
  deliveries: z.object({
    /** Pending deliveries; 20,000 means 20,000 or more. */
    pending: count,
    /** How many seconds the longest-waiting due subscription has waited for a worker; 0 when none waits. */
    oldest_untaken_s: z.number().min(0),
  }),
  /** At most 100 failing subscriptions, those that have failed longest first; then at most 100 disabled ones, newest first. */
  failing: z.array(failingWebhookSchema),
});
export type WebhooksState = z.infer<typeof webhooksStateSchema>;

/** The state of the scanner. Sources and waiting tokens are those of the process that answers; the rest is of all of them. */
export const scannerStateSchema = z.object({
  /** The version of the rules. */
  rule: z.string(),
  /** Tokens that wait to be judged. */
  waiting: count,
  sources: z.array(
    z.object({
      name: z.string(),
      /** When it last answered; null where it has not since the process started. */
      answered_at: z.iso.datetime().nullable(),
      /** How often it has failed in a row. */
      failures: count,
      /** Why the last request failed; null after an answer. */
      problem: z.string().nullable(),
    }),
  ),
  /** The last 24 hours, oldest first: tokens that were judged, and signals that were made by type. An hour without either is absent. */
  hours: z.array(
    z.object({ hour: z.iso.datetime(), judged: count, signals: z.partialRecord(signalTypeSchema, count) }),
  ),
  /** Refusals of the last 24 hours by type and reason, the most frequent first; `all` for tokens that are no signal of any type. */
  refusals: z.array(z.object({ type: z.enum(['all', ...signalTypes]), reason: z.string(), count })),
});
export type ScannerState = z.infer<typeof scannerStateSchema>;
