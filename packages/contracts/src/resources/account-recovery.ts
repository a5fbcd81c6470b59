import { z } from 'zod';
import { described } from '../members.ts';
import { codeSchema, emailSchema, givenPassword, newPasswordSchema, planSchema } from './account.ts';

/** A token as the link of a mail has it, behind `#token=`. */
const linkToken = z
  .string()
  .min(1)
  .max(2_000)
  .describe('What the link of the mail has behind `#token=`.')
  .meta({ example: 'eyJ…' });

const revokeAccess = described(
  z.boolean().default(false),
  'Whether to revoke every API key and pause every webhook as well: for a password that somebody else may know.',
);

/** What `GET /account/entry` answers. */
export const entrySchema = z
  .strictObject({
    confirms_sign_ups: described(
      z.boolean(),
      'Whether signing up takes the address alone, and a mail to it leads on to the choice of a password.',
      true,
    ),
    sends_mail: described(z.boolean(), 'Whether a lost password can be reset by mail.', true),
    plan: planSchema.nullable().describe('What a new account may do; null while that can’t be read.'),
  })
  .meta({ id: 'Entry' });
export type EntryView = z.infer<typeof entrySchema>;

/** The answer to a request for a link. It is the same whether or not the address has an account. */
export const linkMailSchema = z
  .strictObject({
    email: z
      .string()
      .describe('Where the mail goes, if one goes anywhere.')
      .meta({ example: 'you@example.com' }),
  })
  .meta({ id: 'LinkMail' });
export type LinkMailView = z.infer<typeof linkMailSchema>;

/** Body of `POST /account/sign-up/confirm`. */
export const confirmSignUpSchema = z
  .strictObject({ token: linkToken, password: newPasswordSchema })
  .meta({ id: 'ConfirmSignUp' });

/** Body of `POST /account/password/reset-request`. */
export const requestResetSchema = z.strictObject({ email: emailSchema }).meta({ id: 'RequestPasswordReset' });

/** Body of `POST /account/password/reset`. */
export const resetPasswordSchema = z
  .strictObject({
    token: linkToken,
    password: newPasswordSchema,
    code: codeSchema.optional(),
    revoke_access: revokeAccess,
  })
  .meta({ id: 'ResetPassword' });

/** Body of `POST /account/email`. */
export const changeEmailSchema = z
  .strictObject({
    email: emailSchema.meta({ example: 'new@example.com' }),
    current_password: givenPassword,
    code: codeSchema.optional(),
  })
  .meta({ id: 'ChangeEmail' });

/** Body of `POST /account/email/confirm`. */
export const confirmEmailSchema = z.strictObject({ token: linkToken }).meta({ id: 'ConfirmEmail' });

/** An address that is confirmed. */
export const confirmedEmailSchema = z
  .strictObject({
    email: z
      .string()
      .describe('The address of the account from now on.')
      .meta({ example: 'you@example.com' }),
  })
  .meta({ id: 'ConfirmedEmail' });

/** Body of `DELETE /account`. */
export const deleteAccountSchema = z
  .strictObject({ current_password: givenPassword, code: codeSchema.optional() })
  .meta({ id: 'DeleteAccount' });
