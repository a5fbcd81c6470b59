import { z } from 'zod';
import { successSchema } from '../envelope.ts';
import {
  accountSchema,
  apiKeySchema,
  changeApiKeySchema,
  changeMailSettingsSchema,
  changePasswordSchema,
  createApiKeySchema,
  createdApiKeySchema,
  keyIdSchema,
  mailSettingsSchema,
  rotateApiKeySchema,
  sessionSchema,
  signInSchema,
  signUpSchema,
  usageQuerySchema,
  usageSchema,
} from '../resources/account.ts';
import { auditListSchema, exportAuditQuerySchema, listAuditQuerySchema } from '../resources/audit.ts';
import { listRequestsQuerySchema, requestListSchema } from '../resources/request-log.ts';
import { entryOperations, linkMail, ownOperations } from './account-mail-operations.ts';
import { factorOperations, factorParameters } from './factor-operations.ts';
import { memberOperations, memberParameters } from './member-operations.ts';
import type { Operation, PathParameters } from './operation.ts';

const session = successSchema(sessionSchema);
const createdKey = successSchema(createdApiKeySchema);

/** Parameters in paths of accounts. */
export const accountParameters = {
  key_id: { schema: keyIdSchema, description: 'An API key’s identifier; not the key itself.' },
  ...factorParameters,
  ...memberParameters,
} satisfies PathParameters;

/** Signing up and signing in, and with a session's access token what an account's holder does. */
export const accountOperations = [
  {
    method: 'post',
    path: '/account',
    id: 'signUp',
    open: true,
    service: 'gateway',
    tag: 'Account',
    summary: 'Create an account',
    description:
      'Where this server confirms addresses (`confirms_sign_ups` of `GET /account/entry`), only the address counts: a mail with ' +
      'a link goes there, and nothing tells whether it has an account. Elsewhere the account is created at once, with the ' +
      'password. The refresh token comes in a cookie. An IPv4 address or a /56 of ' +
      'IPv6 can create 20 accounts an hour and 50 a day, a /24 or a /48 200 a day; there is a limit over all, too.',
    body: signUpSchema,
    status: 201,
    success: 'The account and its first session.',
    answer: session,
    accepted: { success: 'A mail is on its way. The link in it is valid for 24 hours.', answer: linkMail },
    errors: ['CONFLICT', 'RATE_LIMIT_EXCEEDED'],
    setsCookie: true,
  },
  ...entryOperations,
  {
    method: 'post',
    path: '/account/session',
    id: 'signIn',
    open: true,
    service: 'gateway',
    tag: 'Account',
    summary: 'Sign in',
    description:
      'An unknown e-mail address and a wrong password get the same answer. Wrong passwords are limited per network and ' +
      'e-mail address; a device that has signed in before has a limit of its own. Where the account has a second factor, ' +
      'the right password alone gets SECOND_FACTOR_REQUIRED: ask again with `code`.',
    body: signInSchema,
    success: 'A new session.',
    answer: session,
    errors: ['UNAUTHORIZED', 'SECOND_FACTOR_REQUIRED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
    setsCookie: true,
  },
  {
    method: 'post',
    path: '/account/session/refresh',
    id: 'renewSession',
    open: true,
    service: 'gateway',
    tag: 'Account',
    summary: 'Renew a session',
    description:
      'Needs the cookie `__Secure-sigcast_refresh`, and replaces it. If the answer is lost, the old cookie gives the same new ' +
      'cookie again: for one minute, and until the new cookie is used. After that, the old cookie ends the session.',
    security: [{ refreshCookie: [] }],
    success: 'The renewed session.',
    answer: session,
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
    setsCookie: true,
  },
  {
    method: 'delete',
    path: '/account/session',
    id: 'signOut',
    open: true,
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
  {
    method: 'get',
    path: '/account',
    id: 'getAccount',
    service: 'gateway',
    role: 'viewer',
    tag: 'Account',
    summary: 'Get the account',
    description: 'Who is signed in, and what the plan allows.',
    success: 'The account.',
    answer: successSchema(accountSchema),
  },
  {
    method: 'post',
    path: '/account/password',
    id: 'changePassword',
    service: 'gateway',
    tag: 'Account',
    summary: 'Change the password',
    description:
      'Needs the current password, and a code where the account has a second factor. Every other session ends. Access tokens of other sessions are refused from then on.',
    body: changePasswordSchema,
    success: 'A new session, the only one left.',
    answer: session,
    errors: ['SECOND_FACTOR_REQUIRED', 'CONFLICT'],
    setsCookie: true,
  },
  ...ownOperations,
  {
    method: 'get',
    path: '/account/keys',
    id: 'listApiKeys',
    service: 'gateway',
    role: 'viewer',
    tag: 'API keys',
    summary: 'List API keys',
    description:
      'Newest first, without the keys themselves: the first and last four characters identify them.',
    success: 'All active keys, and the 100 newest of those that are revoked or expired.',
    answer: successSchema(z.array(apiKeySchema)),
  },
  {
    method: 'post',
    path: '/account/keys',
    id: 'createApiKey',
    service: 'gateway',
    role: 'developer',
    tag: 'API keys',
    summary: 'Create an API key',
    description:
      'The answer contains the key. The key is shown only now. An account can have 50 active keys.',
    body: createApiKeySchema,
    status: 201,
    success: 'The key.',
    answer: createdKey,
    sample: {
      data: {
        last_used_at: null,
        last_used_from: null,
        scopes: null,
        networks: null,
        requests_per_minute: null,
      },
    },
    errors: ['CONFLICT'],
  },
  {
    method: 'post',
    path: '/account/keys/{key_id}/rotate',
    id: 'rotateApiKey',
    service: 'gateway',
    role: 'developer',
    tag: 'API keys',
    summary: 'Rotate an API key',
    description:
      'Creates a key that succeeds the old one. The new key has the name, environment, scopes, networks and limit of the old one, which stays valid for the overlap.',
    body: rotateApiKeySchema,
    mayLackBody: true,
    status: 201,
    success: 'The new key.',
    answer: createdKey,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'patch',
    path: '/account/keys/{key_id}',
    id: 'changeApiKey',
    service: 'gateway',
    role: 'developer',
    tag: 'API keys',
    summary: 'Change an API key',
    description:
      'Members that the body lacks stay as they are. The very next request is admitted or refused by the new scopes, networks and limit: the ' +
      'answer comes when every gateway knows. Streams that the key may no longer have open end within a second.',
    body: changeApiKeySchema,
    success: 'The key as it is now.',
    answer: successSchema(apiKeySchema),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'delete',
    path: '/account/keys/{key_id}',
    id: 'revokeApiKey',
    service: 'gateway',
    role: 'developer',
    tag: 'API keys',
    summary: 'Revoke an API key',
    description:
      'The very next request with the key is refused: the answer comes when every gateway knows. Revoking a key again changes nothing.',
    success: 'The key, revoked.',
    answer: successSchema(apiKeySchema),
    errors: ['NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/account/usage',
    id: 'getUsage',
    service: 'gateway',
    role: 'viewer',
    tag: 'Account',
    summary: 'Get usage',
    description: 'Requests by day and hour (UTC). Figures are kept for 90 days and are a few seconds behind.',
    query: usageQuerySchema,
    success: 'Limits, today’s use, and figures for each day.',
    answer: successSchema(usageSchema),
  },
  {
    method: 'get',
    path: '/account/requests',
    id: 'listRequests',
    service: 'gateway',
    role: 'viewer',
    tag: 'Account',
    summary: 'List requests',
    description:
      'Requests under `/v1` and to `/mcp` that your keys and sessions made, newest first, also refused ones. The newest 100,000 are kept, ' +
      'for 7 days, and are about two seconds behind. Where requests come faster than the log takes them, or its store is ' +
      'away, it says how many are missing. Filters can be combined.',
    query: listRequestsQuerySchema,
    success: 'A page of the log.',
    answer: requestListSchema,
  },
  {
    method: 'get',
    path: '/account/mail',
    id: 'getMailSettings',
    service: 'gateway',
    tag: 'Account',
    summary: 'Get mail settings',
    description: 'Which mails you get. Mails go to the e-mail address of the account.',
    success: 'The settings.',
    answer: successSchema(mailSettingsSchema),
  },
  {
    method: 'patch',
    path: '/account/mail',
    id: 'changeMailSettings',
    service: 'gateway',
    tag: 'Account',
    summary: 'Change mail settings',
    description:
      'Members that the body lacks stay as they are. The first digest comes a day or a week after it is switched on.',
    body: changeMailSettingsSchema,
    success: 'The settings as they are now.',
    answer: successSchema(mailSettingsSchema),
  },
  {
    method: 'get',
    path: '/account/audit',
    id: 'listAudit',
    service: 'gateway',
    role: 'owner',
    tag: 'Account',
    summary: 'List the audit log',
    description:
      'Who did what to the account, newest first: sign-ins, keys, webhooks, secrets and passwords, for 90 days, with when and from where. An entry is written ' +
      'before its action is done, so nothing is done without one; an entry alone does not prove that the action succeeded.',
    query: listAuditQuerySchema,
    success: 'A page of entries.',
    answer: auditListSchema,
  },
  {
    method: 'get',
    path: '/account/audit/export',
    id: 'exportAudit',
    service: 'gateway',
    role: 'owner',
    tag: 'Account',
    summary: 'Download the audit log',
    description: 'All entries that the filters leave, newest first. Ten downloads an hour.',
    query: exportAuditQuerySchema,
    success: 'The file. A connection that ends early means that a part is missing.',
    files: {
      'text/csv': 'id,at,action,by,by_id,by_email,target,address,user_agent\r\n',
      'application/jsonl': '{"id":"aud_01J9ZQ6W9A1C3E5G7J9M1N3Q5S", …}\n',
    },
  },
  ...factorOperations,
  ...memberOperations,
] as const satisfies readonly Operation[];
