import { successSchema } from '../envelope.ts';
import { sessionSchema } from '../resources/account.ts';
import { accountExportSchema } from '../resources/account-export.ts';
import {
  changeEmailSchema,
  confirmEmailSchema,
  confirmedEmailSchema,
  confirmSignUpSchema,
  deleteAccountSchema,
  entrySchema,
  linkMailSchema,
  requestResetSchema,
  resetPasswordSchema,
} from '../resources/account-recovery.ts';
import type { Operation } from './operation.ts';

const session = successSchema(sessionSchema);
export const linkMail = successSchema(linkMailSchema);

/** What links in mails lead to, without a session: creating an account, and resetting a password. */
export const entryOperations = [
  {
    method: 'get',
    path: '/account/entry',
    id: 'getEntry',
    open: true,
    service: 'gateway',
    tag: 'Account',
    summary: 'Get the sign-up options',
    description: 'What signing up takes at this server, and whether it sends mail.',
    success: 'The same for everybody.',
    answer: successSchema(entrySchema),
  },
  {
    method: 'post',
    path: '/account/sign-up/confirm',
    id: 'confirmSignUp',
    open: true,
    service: 'gateway',
    tag: 'Account',
    summary: 'Confirm a sign-up',
    description:
      'Creates an account by the link in a mail. Its e-mail address is the one that the mail was sent to, and is confirmed.',
    body: confirmSignUpSchema,
    status: 201,
    success: 'The account and its first session.',
    answer: session,
    errors: ['CONFLICT', 'RATE_LIMIT_EXCEEDED'],
    setsCookie: true,
  },
  {
    method: 'post',
    path: '/account/password/reset-request',
    id: 'requestPasswordReset',
    open: true,
    service: 'gateway',
    tag: 'Account',
    summary: 'Request a password reset',
    description:
      'Sends a mail with a link to set a new password. The answer is the same whether or not the address has an account; only an account gets a mail. An address gets 10 such ' +
      'mails a day. `CONFLICT` where this server sends no mail.',
    body: requestResetSchema,
    status: 202,
    success:
      'If the address has an account, a mail is on its way. The link in it is valid for a day and works once.',
    answer: linkMail,
    errors: ['CONFLICT', 'RATE_LIMIT_EXCEEDED'],
  },
  {
    method: 'post',
    path: '/account/password/reset',
    id: 'resetPassword',
    open: true,
    service: 'gateway',
    tag: 'Account',
    summary: 'Reset the password',
    description:
      'Sets a new password by the link in a mail. Every session ends. The e-mail address of the account counts as confirmed from then on. Where the account has a second factor, `code` is needed. ' +
      'An account whose address was not confirmed before, whether or not that was asked for, loses its keys, passkeys, second factor, ' +
      'members and invitations, and its webhooks pause: somebody else may have made it.',
    body: resetPasswordSchema,
    success: 'A new session, the only one left.',
    answer: session,
    errors: ['CONFLICT', 'SECOND_FACTOR_REQUIRED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
    setsCookie: true,
  },
] as const satisfies readonly Operation[];

/** What a holder does with all of the account, and with its e-mail address. */
export const ownOperations = [
  {
    method: 'get',
    path: '/account/export',
    id: 'exportAccount',
    service: 'gateway',
    tag: 'Account',
    summary: 'Export the account’s data',
    description:
      'Keys without their text, the second factor and passkeys without their secrets. Deliveries of webhooks and results of backtests have lists of their own. Ten exports an hour.',
    success: 'The data.',
    answer: successSchema(accountExportSchema),
  },
  {
    method: 'delete',
    path: '/account',
    id: 'deleteAccount',
    service: 'gateway',
    tag: 'Account',
    summary: 'Delete the account',
    description:
      'Needs the current password, and a code where the account has a second factor. Keys and sessions are refused from the next request on, and the e-mail address is free. ' +
      'Webhooks, usage, mails and the log are removed within seconds, backtests within 30 days.',
    body: deleteAccountSchema,
    status: 204,
    success: 'The account is deleted.',
    errors: ['SECOND_FACTOR_REQUIRED'],
    setsCookie: true,
  },
  {
    method: 'post',
    path: '/account/email',
    id: 'changeEmail',
    service: 'gateway',
    tag: 'Account',
    summary: 'Change the e-mail address',
    description:
      'Needs the current password, and a code where the account has a second factor. The account keeps its address until the new one is confirmed by the link in a mail to it; ' +
      'then a mail tells the old one. `CONFLICT` where this server sends no mail.',
    body: changeEmailSchema,
    status: 202,
    success: 'A mail is on its way to the new address. The link in it is valid for 24 hours.',
    answer: linkMail,
    errors: ['SECOND_FACTOR_REQUIRED', 'CONFLICT'],
  },
  {
    method: 'post',
    path: '/account/email/confirm-request',
    id: 'requestEmailConfirmation',
    service: 'gateway',
    tag: 'Account',
    summary: 'Request a confirmation mail',
    description:
      'Sends a mail to the address that the account is to have, or else to its own. `CONFLICT` where it is confirmed already, and where this ' +
      'server sends no mail.',
    status: 202,
    success: 'A mail is on its way. The link in it is valid for 24 hours.',
    answer: linkMail,
    errors: ['CONFLICT'],
  },
  {
    method: 'post',
    path: '/account/email/confirm',
    id: 'confirmEmail',
    service: 'gateway',
    tag: 'Account',
    summary: 'Confirm an e-mail address',
    description:
      'By the link in a mail. It needs a session of the account as well: whoever reads the mail of an address must not confirm it for an account that somebody ' +
      'else has made with it. The address that the account has, or the one that it is to have: then the account has it from now on.',
    body: confirmEmailSchema,
    success: 'The address is confirmed.',
    answer: successSchema(confirmedEmailSchema),
    errors: ['CONFLICT'],
  },
] as const satisfies readonly Operation[];
