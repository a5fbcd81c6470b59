import { z } from 'zod';
import { described, timestamp } from '../members.ts';
import { accountSchema, apiKeySchema, mailSettingsSchema, usageSchema } from './account.ts';
import { auditEntrySchema } from './audit.ts';
import { backtestListItemSchema } from './backtest.ts';
import { factorsSchema, openSessionSchema } from './factors.ts';
import { teamSchema } from './members.ts';
import { loggedRequestSchema } from './request-log.ts';
import { webhookSchema } from './webhooks.ts';

/** How many entries of the audit log an export has: the newest. */
export const exportedAuditEntries = 1_000;

/** How many requests of the log an export has: the newest. */
export const exportedRequests = 1_000;

/** What `GET /account/export` answers: all that is stored about an account, bounded as the lists are that it is made of. */
export const accountExportSchema = z
  .strictObject({
    exported_at: timestamp,
    account: accountSchema,
    mail: mailSettingsSchema,
    keys: z.array(apiKeySchema),
    sessions: z.array(openSessionSchema),
    totp: factorsSchema.shape.totp,
    passkeys: factorsSchema.shape.passkeys,
    members: teamSchema.shape.members,
    invitations: teamSchema.shape.invitations,
    usage: described(usageSchema.shape.days, 'Of the last 90 days.', []),
    audit: described(
      z.array(auditEntrySchema),
      'The newest 1,000 entries; `GET /account/audit/export` has all.',
      [],
    ),
    requests: described(
      z.array(loggedRequestSchema),
      'The newest 1,000 requests of the last 7 days; `GET /account/requests` has all.',
      [],
    ),
    webhooks: z.array(webhookSchema).nullable().describe('Null where they could not be read now.'),
    backtests: z.array(backtestListItemSchema).nullable().describe('Null where they could not be read now.'),
  })
  .meta({ id: 'AccountExport' });
export type AccountExport = z.infer<typeof accountExportSchema>;
