import { z } from 'zod';
import { successSchema } from '../envelope.ts';
import {
  confirmTotpSchema,
  endedSessionsSchema,
  factorsSchema,
  newTotpSchema,
  openSessionSchema,
  passwordAndCodeSchema,
  passwordSchema,
  recoveryCodesSchema,
  sessionIdSchema,
} from '../resources/factors.ts';
import type { Operation, PathParameters } from './operation.ts';

/** Parameters in paths of sessions. */
export const factorParameters = {
  session_id: { schema: sessionIdSchema, description: 'A session’s identifier.' },
} satisfies PathParameters;

const wrongOnes = 'Wrong passwords and wrong codes are limited.';

/** By what an account's holder signs in, and where the holder is signed in. */
export const factorOperations = [
  {
    method: 'get',
    path: '/account/factors',
    id: 'getFactors',
    service: 'gateway',
    tag: 'Account',
    summary: 'By what you sign in, beside the password',
    description: 'Without any secret.',
    success: 'The second factor.',
    answer: successSchema(factorsSchema),
  },
  {
    method: 'post',
    path: '/account/totp',
    id: 'beginTotp',
    service: 'gateway',
    tag: 'Account',
    summary: 'Begin to switch on the second factor',
    description:
      'Codes are those of RFC 6238, with SHA-1, six digits and 30 seconds. Nothing changes until a code is confirmed within ' +
      `an hour. Asking again makes another secret. ${wrongOnes}`,
    body: passwordSchema,
    success: 'The secret for an authenticator app. Shown only once.',
    answer: successSchema(newTotpSchema),
    errors: ['CONFLICT'],
  },
  {
    method: 'post',
    path: '/account/totp/confirm',
    id: 'confirmTotp',
    service: 'gateway',
    tag: 'Account',
    summary: 'Switch on the second factor',
    description: `From then on, signing in by password needs a code as well. Sessions that are open stay open. ${wrongOnes}`,
    body: confirmTotpSchema,
    success: 'Recovery codes, for when the app is lost.',
    answer: successSchema(recoveryCodesSchema),
    errors: ['CONFLICT'],
  },
  {
    method: 'post',
    path: '/account/totp/recovery-codes',
    id: 'renewRecoveryCodes',
    service: 'gateway',
    tag: 'Account',
    summary: 'Make new recovery codes; the older ones end',
    description: `Needs the password and a code. ${wrongOnes}`,
    body: passwordAndCodeSchema,
    success: 'The new recovery codes.',
    answer: successSchema(recoveryCodesSchema),
    errors: ['CONFLICT'],
  },
  {
    method: 'delete',
    path: '/account/totp',
    id: 'endTotp',
    service: 'gateway',
    tag: 'Account',
    summary: 'Switch off the second factor',
    description: `Needs the password and a code. ${wrongOnes}`,
    body: passwordAndCodeSchema,
    status: 204,
    success: 'The second factor is off.',
    errors: ['CONFLICT'],
  },
  {
    method: 'get',
    path: '/account/sessions',
    id: 'listSessions',
    service: 'gateway',
    tag: 'Account',
    summary: 'Where you are signed in, last used first',
    description: 'The 100 sessions that were used last.',
    success: 'The sessions.',
    answer: successSchema(z.array(openSessionSchema)),
  },
  {
    method: 'delete',
    path: '/account/sessions/{session_id}',
    id: 'endSession',
    service: 'gateway',
    tag: 'Account',
    summary: 'Sign out one session',
    description: 'Its access token is refused from then on, and its streams end within a second.',
    status: 204,
    success: 'The session is over.',
    errors: ['NOT_FOUND'],
  },
  {
    method: 'delete',
    path: '/account/sessions',
    id: 'endOtherSessions',
    service: 'gateway',
    tag: 'Account',
    summary: 'Sign out everywhere else',
    description: 'Ends every session but that of the request.',
    success: 'How many sessions have ended.',
    answer: successSchema(endedSessionsSchema),
  },
] as const satisfies readonly Operation[];
