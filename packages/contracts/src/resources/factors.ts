import { z } from 'zod';
import { count, described, timestamp } from '../members.ts';
import { codeSchema, givenPassword } from './account.ts';
import { passkeySchema } from './passkeys.ts';

/** Body of what changes an account's factors: the password it has. */
export const passwordSchema = z
  .strictObject({ current_password: givenPassword })
  .meta({ id: 'CurrentPassword' });

/** Body of what changes an account's second factor: the password it has, and a code. */
export const passwordAndCodeSchema = z
  .strictObject({ current_password: givenPassword, code: codeSchema })
  .meta({ id: 'PasswordAndCode' });

/** Body of `POST /account/totp/confirm`. */
export const confirmTotpSchema = z.strictObject({ code: codeSchema }).meta({ id: 'ConfirmTotp' });

/** What an authenticator app needs. */
export const newTotpSchema = z
  .strictObject({
    secret: z
      .string()
      .describe('The seed in base32, to type.')
      .meta({ example: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' }),
    uri: z
      .string()
      .describe('The same as an `otpauth:` address, to scan.')
      .meta({ example: 'otpauth://totp/Sigcast:you%40example.com?secret=…' }),
  })
  .meta({ id: 'NewTotp' });

/** New recovery codes, which are shown only once. */
export const recoveryCodesSchema = z
  .strictObject({
    recovery_codes: z
      .array(z.string().meta({ example: '7KQX-M2PD-9RTE-W4HB' }))
      .describe('Each signs in once, instead of a code of the app. Older ones are no longer valid.'),
  })
  .meta({ id: 'RecoveryCodes' });

/** Answer of `GET /account/factors`. */
export const factorsSchema = z
  .strictObject({
    totp: z
      .strictObject({
        since: timestamp,
        recovery_codes_left: described(count, 'Recovery codes that were not used yet.', 10),
      })
      .nullable()
      .describe('The second factor; null where it is off.'),
    passkeys: z.array(passkeySchema).describe('Newest first; at most 10.'),
    passkey_host: z
      .string()
      .nullable()
      .describe(
        'The host name that new passkeys belong to; null where this server is reached by an IP address.',
      )
      .meta({ example: 'api.example.com' }),
  })
  .meta({ id: 'Factors' });
export type FactorsView = z.infer<typeof factorsSchema>;

/** The identifier of a session. */
export const sessionIdSchema = z
  .string()
  .regex(/^ses_[0-9A-Z]{26}$/, "must be a session's identifier")
  .meta({ example: 'ses_01J9ZQ6W8T3M5N7P9R1S3V5X7Z' });

/** A session as its account's holder sees it. */
export const openSessionSchema = z
  .strictObject({
    id: sessionIdSchema,
    current: described(z.boolean(), 'Whether it is the session of this request.', true),
    created_at: timestamp,
    last_used_at: described(
      timestamp,
      'When it was renewed last: exact to ten minutes.',
      '2026-01-02T01:30:00.000Z',
    ),
    expires_at: timestamp.meta({ example: '2026-01-31T12:00:00.000Z' }),
    address: z
      .string()
      .nullable()
      .describe('From where it was used last; null where that is not known.')
      .meta({ example: '203.0.113.7' }),
    user_agent: z
      .string()
      .nullable()
      .describe('What the browser says it is, up to 200 characters.')
      .meta({ example: 'Mozilla/5.0 (X11; Linux x86_64; rv:147.0) Gecko/20100101 Firefox/147.0' }),
  })
  .meta({ id: 'OpenSession' });
export type OpenSessionView = z.infer<typeof openSessionSchema>;

/** Answer of `DELETE /account/sessions`. */
export const endedSessionsSchema = z
  .strictObject({ ended: count.meta({ example: 2 }) })
  .meta({ id: 'EndedSessions' });
