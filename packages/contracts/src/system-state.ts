import { z } from 'zod';

/*
 * What services tell the gateway of themselves, for operators: `GET /internal/v1/state` of signals and of webhooks. Their
 * callers ignore members that they do not know.
 */

/** The scope that the gateway's token needs for it. */
export const systemReadScope = 'system:read';

const count = z.int().min(0);

/** Of the signals service, which publishes signal events. */
export const signalsStateSchema = z.object({
  outbox: z.object({
    /** Signals with events that have not left; 10,000 stands for more, too. */
    signals: count,
    /** Age of the oldest of these events in seconds, by priority; absent where none waits. */
    oldest_age_s: z.object({ live: z.number().optional(), bulk: z.number().optional() }),
  }),
  /** Queues of signal events; null messages where the broker does not tell. */
  queues: z.array(
    z.object({ name: z.string(), kind: z.enum(['waiting', 'parked']), messages: count.nullable() }),
  ),
});
export type SignalsState = z.infer<typeof signalsStateSchema>;

/**
 * An enabled subscription whose deliveries fail, of an account that is not suspended, or one that was disabled for that. Of its
 * address only the host is told.
 */
export const failingWebhookSchema = z.object({
  id: z.string(),
  account: z.string(),
  host: z.string(),
  /** Since when its deliveries end as failed; null once it is disabled. */
  failing_since: z.iso.datetime().nullable(),
  disabled: z.object({ reason: z.enum(['failing', 'gone']), at: z.iso.datetime() }).nullable(),
});
export type FailingWebhook = z.infer<typeof failingWebhookSchema>;

/** Of the webhooks service. */
export const webhooksStateSchema = z.object({
  deliveries: z.object({
    /** Deliveries that have not ended; 20,000 stands for more, too. */
    pending: count,
    /** For how many seconds the subscription waits that no worker has taken though it is due; 0 for none. */
    oldest_untaken_s: z.number().min(0),
  }),
  /** Those that fail for longest first, at most 100; then those disabled last, at most 100. */
  failing: z.array(failingWebhookSchema),
});
export type WebhooksState = z.infer<typeof webhooksStateSchema>;
