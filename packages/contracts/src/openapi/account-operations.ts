import { z } from 'zod';
import { successSchema } from '../envelope.ts';
import {
  accountSchema,
  apiKeySchema,
  changePasswordSchema,
  createApiKeySchema,
  createdApiKeySchema,
  keyIdSchema,
  rotateApiKeySchema,
  sessionSchema,
  signInSchema,
  signUpSchema,
  usageQuerySchema,
  usageSchema,
} from '../resources/account.ts';
import type { Operation, PathParameters } from './operation.ts';

const session = successSchema(sessionSchema);
const createdKey = successSchema(createdApiKeySchema);

/** Parameters in paths of accounts. */
export const accountParameters = {
  key_id: { schema: keyIdSchema, description: 'An API key’s identifier; not the key itself.' },
} satisfies PathParameters;

/** Operations without credentials: signing up and signing in. */
export const openAccountOperations = [
  {
    method: 'post',
    path: '/account',
    id: 'signUp',
    service: 'gateway',
    tag: 'Account',
    summary: 'Create an account and begin a session',
    description:
      'The refresh token comes in a cookie. An IPv4 address or a /56 of ' +
      'IPv6 can create 20 accounts an hour and 50 a day, a /24 or a /48 200 a day; there is a limit over all, too.',
    body: signUpSchema,
    status: 201,
    success: 'The account and its first session.',
    answer: session,
    errors: ['CONFLICT', 'RATE_LIMIT_EXCEEDED'],
    setsCookie: true,
  },
  {
    method: 'post',
    path: '/account/session',
    id: 'signIn',
    service: 'gateway',
    tag: 'Account',
    summary: 'Sign in',
    description:
      'An unknown e-mail address and a wrong password get the same answer. Wrong passwords are limited per network and ' +
      'e-mail address; a device that has signed in before has a limit of its own.',
    body: signInSchema,
    status: 200,
    success: 'A new session.',
    answer: session,
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
    setsCookie: true,
  },
  {
    method: 'post',
    path: '/account/session/refresh',
    id: 'renewSession',
    service: 'gateway',
    tag: 'Account',
    summary: 'Renew a session',
    description:
      'Needs the cookie `__Secure-sigcast_refresh`, and replaces it. If the answer is lost, the old cookie gives the same new ' +
      'cookie again: for one minute, and until the new cookie is used. After that, the old cookie ends the session.',
    security: [{ refreshCookie: [] }],
    status: 200,
    success: 'The renewed session.',
    answer: session,
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
    setsCookie: true,
  },
  {
    method: 'delete',
    path: '/account/session',
    id: 'signOut',
    service: 'gateway',
    tag: 'Account',
    summary: 'Sign out',
    description: 'Ends the session of the cookie, and removes the cookie.',
    security: [{ refreshCookie: [] }, {}],
    status: 204,
    success: 'The session is over, whether or not there was one.',
    errors: ['FORBIDDEN'],
    setsCookie: true,
  },
] as const satisfies readonly Operation[];

/** Operations with a session's access token. */
export const accountOperations = [
  {
    method: 'get',
    path: '/account',
    id: 'getAccount',
    service: 'gateway',
    tag: 'Account',
    summary: 'Your account and its plan',
    description: 'Who is signed in, and what the plan allows.',
    status: 200,
    success: 'The account.',
    answer: successSchema(accountSchema),
    errors: [],
  },
  {
    method: 'post',
    path: '/account/password',
    id: 'changePassword',
    service: 'gateway',
    tag: 'Account',
    summary: 'Change the password; every other session ends',
    description: 'Needs the current password. Access tokens of other sessions are refused from then on.',
    body: changePasswordSchema,
    status: 200,
    success: 'A new session, the only one left.',
    answer: session,
    errors: ['CONFLICT'],
    setsCookie: true,
  },
  {
    method: 'get',
    path: '/account/keys',
    id: 'listApiKeys',
    service: 'gateway',
    tag: 'API keys',
    summary: 'Your API keys, newest first',
    description: 'Without the keys themselves: the first and last four characters identify them.',
    status: 200,
    success: 'All active keys, and the 100 newest of those that are revoked or expired.',
    answer: successSchema(z.array(apiKeySchema)),
    errors: [],
  },
  {
    method: 'post',
    path: '/account/keys',
    id: 'createApiKey',
    service: 'gateway',
    tag: 'API keys',
    summary: 'Create an API key',
    description:
      'The answer contains the key. The key is shown only now. An account can have 50 active keys.',
    body: createApiKeySchema,
    status: 201,
    success: 'The key.',
    answer: createdKey,
    errors: ['CONFLICT'],
  },
  {
    method: 'post',
    path: '/account/keys/{key_id}/rotate',
    id: 'rotateApiKey',
    service: 'gateway',
    tag: 'API keys',
    summary: 'Rotate a key: create its successor',
    description:
      'The new key has the name and environment of the old one, which stays valid for the overlap.',
    body: rotateApiKeySchema,
    mayLackBody: true,
    status: 201,
    success: 'The new key.',
    answer: createdKey,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'delete',
    path: '/account/keys/{key_id}',
    id: 'revokeApiKey',
    service: 'gateway',
    tag: 'API keys',
    summary: 'Revoke a key',
    description:
      'The very next request with the key is refused: the answer comes when every gateway knows. Revoking a key again changes nothing.',
    status: 200,
    success: 'The key, revoked.',
    answer: successSchema(apiKeySchema),
    errors: ['NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/account/usage',
    id: 'getUsage',
    service: 'gateway',
    tag: 'Account',
    summary: 'Read usage by day and hour (UTC)',
    description: 'Figures are kept for 90 days and are a few seconds behind.',
    query: usageQuerySchema,
    status: 200,
    success: 'Limits, today’s use, and figures for each day.',
    answer: successSchema(usageSchema),
    errors: [],
  },
] as const satisfies readonly Operation[];
