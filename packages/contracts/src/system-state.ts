import { z } from 'zod';
import { count } from './members.ts';

/*
 * Answers of `GET /internal/v1/state` of signals and of webhooks, which the gateway shows to operators. The gateway ignores
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
