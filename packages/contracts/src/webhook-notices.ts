import { z } from 'zod';

/** What accounts are told about one of their webhooks. Subscribers get all but `webhook.recovered`. */
export const webhookNoticeTypes = ['webhook.failing', 'webhook.disabled', 'webhook.recovered'] as const;
export type WebhookNoticeType = (typeof webhookNoticeTypes)[number];

/**
 * A notice of a webhook to its account, as a message of the broker. A repeated notice has the same id. A consumer ignores
 * members that it does not know, and parks a notice of another version.
 */
export const webhookNoticeSchema = z.object({
  id: z.string().min(1),
  type: z.enum(webhookNoticeTypes),
  version: z.literal(1),
  occurred_at: z.iso.datetime(),
  data: z.object({
    account: z.string().regex(/^acct_\w+$/),
    webhook: z.string().min(1),
    description: z.string().nullable(),
    /** The host of its address. The rest of an address may be secret. */
    host: z.string(),
    failing_since: z.iso.datetime().nullable(),
    /** When it will be disabled unless a delivery succeeds. */
    disables_at: z.iso.datetime().nullable(),
    disabled_reason: z.enum(['failing', 'gone']).nullable(),
  }),
});
export type WebhookNotice = z.infer<typeof webhookNoticeSchema>;
