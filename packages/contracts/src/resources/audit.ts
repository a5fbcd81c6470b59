import { z } from 'zod';
import { describedInstant } from '../instant.ts';
import { described, oneOf, timestamp } from '../members.ts';
import { pageLimit } from '../query-parameters.ts';

/** For how long entries of the audit log are kept, in days. */
export const auditKeptDays = 90;

/** What the audit log of an account records. */
export const auditActions = [
  ...(['account.created', 'account.exported', 'account.deleted'] as const),
  ...(['account.suspended', 'account.resumed', 'account.plan_changed'] as const),
  ...(['account.operator_added', 'account.operator_removed'] as const),
  ...(['session.started', 'session.ended'] as const),
  ...(['password.changed', 'password.reset', 'access.revoked'] as const),
  ...(['email.changed', 'email.verified', 'mail.changed'] as const),
  ...(['totp.on', 'totp.off', 'totp.codes_replaced', 'totp.recovery_code_used'] as const),
  ...(['passkey.added', 'passkey.removed'] as const),
  ...(['key.created', 'key.changed', 'key.rotated', 'key.revoked', 'key.reported'] as const),
  ...(['webhook.created', 'webhook.changed', 'webhook.deleted', 'webhook.secret_rotated'] as const),
  ...(['member.invited', 'member.invitation_withdrawn'] as const),
  ...(['member.joined', 'member.changed', 'member.removed'] as const),
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Who can act on an account. */
export const auditActorKinds = ['holder', 'key', 'operator', 'system'] as const;

/** An entry of an account's audit log. */
export const auditEntrySchema = z
  .strictObject({
    id: z.string().meta({ example: 'aud_01J9ZQ6W9A1C3E5G7J9M1N3Q5S' }),
    at: timestamp,
    action: z.enum(auditActions).meta({ example: 'key.created' }),
    by: described(
      z.strictObject({
        kind: z.enum(auditActorKinds).meta({ example: 'holder' }),
        id: z.string().nullable().describe('The account of the person, or the key.').meta({
          example: 'acct_01J9ZPX1F3H5K7M9P1R3T5V7X9',
        }),
        email: z.string().nullable().describe('The present address of the person.').meta({
          example: 'you@example.com',
        }),
      }),
      '`holder`: a person who is signed in. `key`: an API key. `operator`: whoever runs this service. `system`: the service by itself.',
    ),
    target: described(
      z.string().nullable(),
      'What was acted on, such as a key’s identifier; null for the account itself, and for what a request makes elsewhere.',
      'key_9f86d081884c7d659a2feaa0',
    ),
    address: described(z.string().nullable(), 'The client’s address.', '203.0.113.7'),
    user_agent: z
      .string()
      .nullable()
      .describe('`User-Agent` of the request, 200 characters of it at most.')
      .meta({ example: 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0' }),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntryView = z.infer<typeof auditEntrySchema>;

const auditFilters = {
  action: described(oneOf(auditActions).optional(), 'Only entries of this action.'),
  since: describedInstant(
    'Only entries after this instant, itself excluded. A bare date means 00:00 UTC of that day.',
  ).optional(),
};

/** Query of `GET /account/audit`. */
export const listAuditQuerySchema = z.strictObject({
  ...auditFilters,
  limit: pageLimit,
  cursor: z
    .string()
    .regex(/^aud_[0-9A-Z]{26}$/, 'must be a meta.next_cursor that this list has given')
    .optional()
    .describe('`meta.next_cursor` of the previous page.'),
});

/** Query of `GET /account/audit/export`. */
export const exportAuditQuerySchema = z.strictObject({
  ...auditFilters,
  format: described(
    oneOf(['csv', 'jsonl']).default('csv'),
    '`csv`: a table (RFC 4180), in which an apostrophe stands before a text that a spreadsheet would take for a formula. ' +
      '`jsonl`: a JSON object on each line, as in the list.',
  ),
});

/** The answer of `GET /account/audit`. */
export const auditListSchema = z
  .strictObject({
    success: z.literal(true),
    data: z.array(auditEntrySchema),
    meta: z
      .strictObject({
        next_cursor: described(
          z.string().nullable(),
          'Pass it back as `cursor` for what is older; null on the last page.',
          'aud_01J9ZQ6W9A1C3E5G7J9M1N3Q5S',
        ),
      })
      .meta({ id: 'AuditListMeta' }),
  })
  .meta({ id: 'AuditList' });
