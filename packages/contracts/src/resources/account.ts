import { z } from 'zod';
import { accountRoles } from '../account-roles.ts';
import { filterOf, maxFilterBytes, signalConditionFields } from '../conditions/signal-conditions.ts';
import { latencyBoundsMs } from '../latency-classes.ts';
import { count, described, oneOf, timestamp } from '../members.ts';
import { wholeNumber } from '../query-parameters.ts';
import { apiScopeNames } from '../scopes.ts';
import { nameText } from '../text.ts';
import { isUnique } from '../unique.ts';
import { accountChoiceSchema, accountIdSchema } from './members.ts';

/** An e-mail address as typed; case and blanks around it do not matter. */
export const emailSchema = z
  .string()
  .trim()
  .max(254)
  .pipe(z.email('must be an e-mail address'))
  .meta({ example: 'you@example.com' });

/** A new password. Its length makes it strong (NIST SP 800-63B, 3.1.1.2). */
export const newPasswordSchema = z
  .string()
  .min(12, 'must have at least 12 characters')
  .max(200, 'must have at most 200 characters')
  .refine((text) => new Set(text).size >= 5, 'must have at least 5 different characters')
  .meta({ example: 'correct horse battery staple' });

/** A password that somebody has already. */
export const givenPassword = z.string().min(1).max(1_000).meta({ example: 'correct horse battery staple' });

/** Body of `POST /account`. */
export const signUpSchema = z
  .strictObject({
    email: emailSchema,
    password: described(
      newPasswordSchema.optional(),
      'Needed where this server confirms no addresses; elsewhere it is chosen by the link in the mail.',
    ),
  })
  .refine(({ email, password = '' }) => !password.toLowerCase().includes(email.toLowerCase()), {
    path: ['password'],
    message: 'must not contain the e-mail address',
  })
  .meta({ id: 'SignUp' });

/** A code of a second factor. */
export const codeSchema = z
  .string()
  .min(1)
  .max(64)
  .describe('Six digits of the authenticator app, or a recovery code. Each is taken once.')
  .meta({ example: '123456' });

/** Body of `POST /account/session`. */
export const signInSchema = z
  .strictObject({
    email: z.string().min(1).max(254).meta({ example: 'you@example.com' }),
    password: givenPassword,
    code: codeSchema.optional(),
  })
  .meta({ id: 'SignIn' });

/** Body of `POST /account/password`. */
export const changePasswordSchema = z
  .strictObject({
    current_password: givenPassword,
    new_password: newPasswordSchema.meta({ example: 'another horse, another battery' }),
    code: codeSchema.optional(),
    revoke_access: described(
      z.boolean().default(false),
      'Whether to revoke every API key and pause every webhook as well: for a password that somebody else may know. ' +
        'If the answer is lost, ask again with the new password.',
    ),
  })
  .meta({ id: 'ChangePassword' });

/** What an account may do. */
export const planSchema = z
  .strictObject({
    name: z.string().meta({ example: 'standard' }),
    requests_per_minute: z.int().min(1).meta({ example: 60 }),
    requests_per_day: z.int().min(1).meta({ example: 10_000 }),
    webhooks: count.describe('How many webhooks the account may have.').meta({ example: 20 }),
    streams: described(count, 'How many streams the account may have open at once.', 10),
  })
  .meta({ id: 'Plan' });

/** An account as its holder sees it. */
export const accountSchema = z
  .strictObject({
    id: accountIdSchema,
    email: z.string().meta({ example: 'you@example.com' }),
    plan: planSchema,
    status: z.enum(['active', 'suspended']),
    email_verified: described(z.boolean(), 'Whether it is known that the e-mail address is yours.', true),
    new_email: described(
      z.string().nullable(),
      'The address that the account is to have once it is confirmed; null where it keeps its own.',
      null,
    ),
    operator: z.literal(true).optional().describe('Present in accounts of operators only.'),
    created_at: timestamp,
    person: described(
      z.strictObject({
        id: accountIdSchema,
        email: z.string().meta({ example: 'you@example.com' }),
      }),
      'Who is signed in, by their own account: another one where the session acts for an account of others.',
    ),
    role: described(oneOf(accountRoles), 'What you may do in this account.', 'owner'),
    accounts: z.array(accountChoiceSchema).describe('The accounts that you may act for, your own first.'),
  })
  .meta({ id: 'Account' });
export type AccountView = z.infer<typeof accountSchema>;

/** A new or renewed session. Its refresh token is in a cookie that scripts can't read. */
export const sessionSchema = z
  .strictObject({
    access_token: z
      .string()
      .describe('For `Authorization: Bearer`, under /account and /v1.')
      .meta({ example: 'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.…' }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().min(1).describe('Seconds until the access token expires.').meta({ example: 600 }),
    account: accountSchema,
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof sessionSchema>;

/** The identifier of an API key. */
export const keyIdSchema = z
  .string()
  // Aborts, so that a union of it and other texts has its own message.
  .regex(/^key_[0-9a-f]{24}$/, { error: "must be a key's identifier", abort: true })
  .meta({ example: 'key_9f86d081884c7d659a2feaa0' });

const onceEach = 'must not contain the same value twice';
const scopesSchema = z
  .array(oneOf(apiScopeNames))
  .min(1, 'must name at least one scope, or be null')
  .refine(isUnique, onceEach);
/** The most networks of a key. */
const maxNetworks = 20;
const networksSchema = z
  .array(z.string().max(50, 'must be a network such as 203.0.113.0/24 or 2001:db8::/32'))
  .min(1, 'must have at least one network, or be null')
  .max(maxNetworks, `must have at most ${maxNetworks} networks`);

/** What a key may do less than its account. */
const keyRestrictions = {
  scopes: described(
    scopesSchema.nullable(),
    'What the key may be used for; null for everything. Another use is `SCOPE_REQUIRED`.',
    ['signals:read', 'stats:read'],
  ),
  networks: described(
    networksSchema.nullable(),
    'From where the key may be used, in CIDR notation, IPv4 or IPv6; null for anywhere. Use from elsewhere is ' +
      '`NETWORK_NOT_ALLOWED`.',
    ['203.0.113.0/24'],
  ),
  requests_per_minute: described(
    z.int('must be a whole number').min(1, 'must be at least 1').nullable(),
    'How many requests a minute the key may make, fewer than its account; null for as many. They count in the limits of the account, too.',
    20,
  ),
};

/** An API key as lists show it, without its text. */
export const apiKeySchema = z
  .strictObject({
    id: keyIdSchema,
    name: z.string().meta({ example: 'Trading bot' }),
    environment: z.string().meta({ example: 'production' }),
    first: z.string().describe('The first four characters of its random part.').meta({ example: 'x7Kd' }),
    last: z.string().describe('Its last four characters.').meta({ example: 'Qz3m' }),
    state: z.enum(['active', 'expired', 'revoked']),
    created_at: timestamp,
    last_used_at: described(timestamp.nullable(), 'Exact to about a minute.', '2026-01-02T01:30:00.000Z'),
    last_used_from: described(z.string().nullable(), 'The client address of that use.', '203.0.113.9'),
    expires_at: timestamp.nullable().meta({ example: '2027-01-01T12:00:00.000Z' }),
    revoked_at: timestamp.nullable(),
    ...keyRestrictions,
  })
  .meta({ id: 'ApiKey' });
export type ApiKeyView = z.infer<typeof apiKeySchema>;

/** A new key: the only answer that contains the key's text. */
export const createdApiKeySchema = apiKeySchema
  .extend({
    key: z.string().describe('The key itself. Shown only once.').meta({ example: 'sk_…' }),
  })
  .meta({ id: 'CreatedApiKey' });

/** Days after which keys expire; null for never. */
const keyLifetimeSchema = z.union(
  [z.literal(30), z.literal(90), z.literal(365), z.null()],
  'must be 30, 90, 365 or null (never)',
);

/** When a new key expires. Only one of both can be given. */
const keyExpiry = {
  expires_in_days: keyLifetimeSchema
    .optional()
    .describe(
      'Days until the key expires, or null for never. 365 where neither this nor `expires_at` is given.',
    )
    .meta({ example: 365 }),
  expires_at: timestamp.optional().describe('Instead: when the key expires, at most two years ahead.'),
};

function hasOneExpiry({
  expires_in_days: days,
  expires_at: at,
}: {
  expires_in_days?: unknown;
  expires_at?: unknown;
}) {
  return days === undefined || at === undefined;
}
const oneExpiry = { path: ['expires_at'], message: "can't be given together with expires_in_days" };

/** Body of `POST /account/keys`. */
export const createApiKeySchema = z
  .strictObject({
    name: nameText(64).meta({ example: 'Trading bot' }),
    environment: z
      .string()
      .regex(/^[a-z0-9-]{1,20}$/, 'must be 1 to 20 lower-case letters, digits or hyphens')
      .default('production')
      .meta({ example: 'production' }),
    ...keyExpiry,
    scopes: keyRestrictions.scopes.default(null),
    networks: keyRestrictions.networks.default(null),
    requests_per_minute: keyRestrictions.requests_per_minute.default(null),
  })
  .refine(hasOneExpiry, oneExpiry)
  .meta({ id: 'CreateApiKey' });

/** Body of `PATCH /account/keys/{key_id}`: what changes. */
export const changeApiKeySchema = z
  .strictObject({ name: nameText(64).meta({ example: 'Trading bot' }), ...keyRestrictions })
  .partial()
  .meta({ id: 'ChangeApiKey' });
export type ChangeApiKey = z.infer<typeof changeApiKeySchema>;

/** Body of `POST /account/keys/{key_id}/rotate`. */
export const rotateApiKeySchema = z
  .strictObject({
    overlap_days: z
      .int('must be a whole number from 0 to 7')
      .min(0, 'must be a whole number from 0 to 7')
      .max(7, 'must be a whole number from 0 to 7')
      .default(0)
      .describe('How long the old key stays valid; 0 revokes it at once.')
      .meta({ example: 7 }),
    ...keyExpiry,
  })
  .refine(hasOneExpiry, oneExpiry)
  .meta({ id: 'RotateApiKey' });

const usageFigures = {
  requests: count.describe('Requests that the limits admitted.').meta({ example: 5 }),
  refused: count.describe('Requests that the limits refused (429).').meta({ example: 0 }),
  client_errors: count.describe('Admitted requests that were answered 4xx.').meta({ example: 1 }),
  server_errors: count.describe('Admitted requests that were answered 5xx.').meta({ example: 0 }),
};

/** What an account used in one hour or one day (UTC). */
export const usageFiguresSchema = z.strictObject(usageFigures).meta({ id: 'UsageFigures' });
export type UsageFigures = z.infer<typeof usageFiguresSchema>;

/** Query of `GET /account/usage`. */
export const usageQuerySchema = z.strictObject({
  days: wholeNumber(1, 90).default(30).describe('How many days, today included.'),
  by: described(
    oneOf(['key', 'route']).optional(),
    'Figures of each day for each API key, or each path.',
    'key',
  ),
});

/** What one key or one path used on a day. */
const usagePartSchema = z
  .strictObject({
    name: z
      .string()
      .describe('The key’s identifier, or the path with parameters in braces; `other` for what has no name.')
      .meta({ example: 'key_9f86d081884c7d659a2feaa0' }),
    ...usageFigures,
    latency: described(
      z.array(count).length(latencyBoundsMs.length + 1),
      `How many admitted requests took at most ${latencyBoundsMs.join(', ')} milliseconds, each counted once; the last number \
has those that took longer. Streams are left out.`,
      [0, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ),
    hours: described(
      z
        .array(z.strictObject({ hour: z.int().min(0).max(23).meta({ example: 13 }), ...usageFigures }))
        .optional(),
      'The hours of the day, UTC, in which there were any. Only with `days` up to 7.',
    ),
  })
  .meta({ id: 'UsagePart' });
export type UsagePart = z.infer<typeof usagePartSchema>;

/** Answer of `GET /account/usage`. */
export const usageSchema = z
  .strictObject({
    limits: z.strictObject({
      requests_per_minute: z.int().min(1).meta({ example: 60 }),
      requests_per_day: z.int().min(1).meta({ example: 10_000 }),
    }),
    today: z.strictObject({
      used: described(count, 'Requests that count against the daily limit so far.', 5),
      remaining: count.meta({ example: 9_995 }),
      resets_at: timestamp.meta({ example: '2026-01-02T00:00:00.000Z' }),
    }),
    days: z.array(
      z.strictObject({
        date: z.iso.date().meta({ example: '2026-01-01' }),
        ...usageFigures,
        hours: described(
          z.array(usageFiguresSchema).length(24),
          'By hour of the day, UTC, from 0 to 23.',
          Array.from({ length: 24 }, (_, hour) => ({
            requests: hour === 13 ? 5 : 0,
            refused: 0,
            client_errors: hour === 13 ? 1 : 0,
            server_errors: 0,
          })),
        ),
        parts: z.array(usagePartSchema).optional().describe('By key or by path. Only with `by`.'),
      }),
    ),
  })
  .meta({ id: 'Usage' });
export type UsageView = z.infer<typeof usageSchema>;

const tooLong = `must be at most ${maxFilterBytes.toLocaleString('en')} bytes long, percent-encoded`;

const digestSchema = z
  .strictObject({
    every: z.enum(['daily', 'weekly']),
    filter: filterOf(signalConditionFields)
      // The digest's list takes it in a query.
      .refine((filter) => encodeURIComponent(JSON.stringify(filter)).length <= maxFilterBytes, tooLong)
      .nullable()
      .describe('Which signals it has, as `filter` of a list of signals, but as an object; null for all.'),
  })
  .meta({ id: 'MailDigest' });

const mailMembers = {
  webhooks: described(
    z.boolean(),
    'Whether a mail comes when a webhook has failed for a day, is disabled for failing, and delivers again.',
    true,
  ),
  keys: described(z.boolean(), 'Whether a mail comes 7 days and 1 day before an API key expires.', true),
  digest: digestSchema.nullable().describe('A mail with the new signals; null for none.'),
};

/** What `GET /account/mail` answers. */
export const mailSettingsSchema = z
  .strictObject({
    available: described(z.boolean(), 'Whether this server sends mail at all; its operator decides.', true),
    ...mailMembers,
  })
  .meta({ id: 'MailSettings' });
export type MailSettingsView = z.infer<typeof mailSettingsSchema>;

/** Body of `PATCH /account/mail`: what changes. */
export const changeMailSettingsSchema = z
  .strictObject(mailMembers)
  .partial()
  .meta({ id: 'ChangeMailSettings' });
export type ChangeMailSettings = z.infer<typeof changeMailSettingsSchema>;
