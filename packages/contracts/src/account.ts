import { z } from 'zod';
import { wholeNumber } from './query-parameters.ts';
import { nameText } from './text.ts';

const instant = z.iso.datetime({ offset: true });

/** An e-mail address as typed; case and blanks around it do not matter. */
const emailSchema = z.string().trim().max(254).pipe(z.email('must be an e-mail address'));

/** A new password. Its length makes it strong (NIST SP 800-63B, 3.1.1.2). */
const newPasswordSchema = z
  .string()
  .min(12, 'must have at least 12 characters')
  .max(200, 'must have at most 200 characters')
  .refine((text) => new Set(text).size >= 5, 'must have at least 5 different characters');

/** Body of `POST /account`. */
export const signUpSchema = z
  .strictObject({ email: emailSchema, password: newPasswordSchema })
  .refine(({ email, password }) => !password.toLowerCase().includes(email.toLowerCase()), {
    path: ['password'],
    message: 'must not contain the e-mail address',
  });

/** Body of `POST /account/session`. */
export const signInSchema = z.strictObject({
  email: z.string().min(1).max(254),
  password: z.string().min(1).max(1_000),
});

/** Body of `POST /account/password`. */
export const changePasswordSchema = z.strictObject({
  current_password: z.string().min(1).max(1_000),
  new_password: newPasswordSchema,
  revoke_access: z
    .boolean()
    .default(false)
    .describe(
      'Whether to revoke every API key and pause every webhook as well: for a password that somebody else may know. ' +
        'If the answer is lost, ask again with the new password.',
    ),
});

/** An account as its holder sees it. */
export const accountSchema = z.strictObject({
  id: z.string().regex(/^acct_[0-9A-Z]{26}$/),
  email: z.string(),
  plan: z.strictObject({
    name: z.string(),
    requests_per_minute: z.int().min(1),
    requests_per_day: z.int().min(1),
    webhooks: z.int().min(0).describe('How many webhooks the account may have.'),
    streams: z.int().min(0).describe('How many streams the account may have open at once.'),
  }),
  status: z.enum(['active', 'suspended']),
  email_verified: z.boolean().describe('Whether it is known that the e-mail address is yours.'),
  operator: z.literal(true).optional().describe('Present in accounts of operators only.'),
  created_at: instant,
});
export type AccountView = z.infer<typeof accountSchema>;

/** A new or renewed session. Its refresh token is in a cookie that scripts can't read. */
export const sessionSchema = z.strictObject({
  access_token: z.string().describe('For `Authorization: Bearer`, under /account and /v1.'),
  token_type: z.literal('Bearer'),
  expires_in: z.int().min(1).describe('Seconds until the access token expires.'),
  account: accountSchema,
});
export type Session = z.infer<typeof sessionSchema>;

/** The identifier of an API key. */
export const keyIdSchema = z.string().regex(/^key_[0-9a-f]{24}$/, "must be a key's identifier");

/** An API key as lists show it, without its text. */
export const apiKeySchema = z.strictObject({
  id: keyIdSchema,
  name: z.string(),
  environment: z.string(),
  first: z.string().describe('The first four characters of its random part.'),
  last: z.string().describe('Its last four characters.'),
  state: z.enum(['active', 'expired', 'revoked']),
  created_at: instant,
  last_used_at: instant.nullable().describe('Exact to about a minute.'),
  expires_at: instant.nullable(),
  revoked_at: instant.nullable(),
});
export type ApiKeyView = z.infer<typeof apiKeySchema>;

/** A new key: the only answer that contains the key's text. */
export const createdApiKeySchema = apiKeySchema.extend({
  key: z.string().describe('The key itself. Shown only once.'),
});

/** Days after which keys expire; null for never. */
const keyLifetimeSchema = z.union(
  [z.literal(30), z.literal(90), z.literal(365), z.null()],
  'must be 30, 90, 365 or null (never)',
);

/** Body of `POST /account/keys`. */
export const createApiKeySchema = z.strictObject({
  name: nameText(64),
  environment: z
    .string()
    .regex(/^[a-z0-9-]{1,20}$/, 'must be 1 to 20 lower-case letters, digits or hyphens')
    .default('production'),
  expires_in_days: keyLifetimeSchema.default(365),
});

/** Body of `POST /account/keys/{key_id}/rotate`. */
export const rotateApiKeySchema = z.strictObject({
  overlap_days: z
    .int('must be a whole number from 0 to 7')
    .min(0, 'must be a whole number from 0 to 7')
    .max(7, 'must be a whole number from 0 to 7')
    .default(0)
    .describe('How long the old key stays valid; 0 revokes it at once.'),
  expires_in_days: keyLifetimeSchema.default(365),
});

const usageFigures = {
  requests: z.int().min(0).describe('Requests that the limits admitted.'),
  refused: z.int().min(0).describe('Requests that the limits refused (429).'),
  client_errors: z.int().min(0).describe('Admitted requests that were answered 4xx.'),
  server_errors: z.int().min(0).describe('Admitted requests that were answered 5xx.'),
};

/** What an account used in one hour or one day (UTC). */
export const usageFiguresSchema = z.strictObject(usageFigures);
export type UsageFigures = z.infer<typeof usageFiguresSchema>;

/** Query of `GET /account/usage`. */
export const usageQuerySchema = z.strictObject({
  days: wholeNumber(1, 90).default(30).describe('How many days, today included.'),
});

/** Answer of `GET /account/usage`. */
export const usageSchema = z.strictObject({
  limits: z.strictObject({
    requests_per_minute: z.int().min(1),
    requests_per_day: z.int().min(1),
  }),
  today: z.strictObject({
    used: z.int().min(0).describe('Requests that count against the daily limit so far.'),
    remaining: z.int().min(0),
    resets_at: instant,
  }),
  days: z.array(
    z.strictObject({
      date: z.iso.date(),
      ...usageFigures,
      hours: z.array(usageFiguresSchema).length(24).describe('By hour of the day, UTC, from 0 to 23.'),
    }),
  ),
});
export type UsageView = z.infer<typeof usageSchema>;
