import { createApp, finishApp, serve } from '@sigcast/http';
import { silentLogger } from '@sigcast/runtime';
import { expect, it } from 'vitest';
import { PasswordService } from '../src/domain/password-service.ts';
import { accountRoutes } from '../src/routes/account/account-routes.ts';
import type { AccountDeps } from '../src/routes/account/deps.ts';

const known = 'known@example.test';

/** Sends a request about an address. @returns the answer, and all that was asked of stores, hashes and limits for it. */
async function workFor(path: string, email: string, more: object = {}) {
  const work: string[] = [];
  const note =
    <T>(what: string, result: T) =>
    async () => {
      work.push(what);
      return result;
    };
  const account = { id: 'acct_1', email: known, status: 'active' };
  const deps = {
    accounts: {
      find: note('find', email === known ? account : undefined),
      findWithPassword: note('find', email === known ? { account, passwordHash: 'h' } : undefined),
      create: note('create', undefined),
    },
    passwords: new PasswordService({ hash: note('hash', 'd'), matches: note('compare', false) }),
    throttle: { charge: note('charge', undefined), refund: note('refund', undefined) },
    mail: { add: note('mail', true) },
    isCommonPassword: () => false,
    confirmsSignUps: true,
    trustProxy: false,
  } as unknown as AccountDeps;
  // Its hash for unknown addresses is made once.
  await deps.passwords.matches('x', async () => undefined, {
    kind: 'stranger',
    name: 'first',
    isGone: () => false,
  });
  work.length = 0;
  const app = createApp(silentLogger());
  accountRoutes(app, deps);
  await using resources = new AsyncDisposableStack();
  const log = silentLogger();
  const url = await serve(finishApp(app, log), { host: '127.0.0.1', port: 0 }, log, resources);
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Connection: 'close' },
    body: JSON.stringify({ email, ...more }),
  });
  const text = (await answer.text()).replaceAll(email, '…').replace(/req_[\w-]+/, '');
  return { status: answer.status, text, work };
}

it.each([
  ['signing up', '/account', {}, 202, ['charge', 'charge', 'charge', 'charge', 'charge', 'mail']],
  [
    'asking for a new password',
    '/account/password/reset-request',
    {},
    202,
    ['charge', 'charge', 'charge', 'charge', 'mail'],
  ],
  [
    'signing in with a wrong password',
    '/account/session',
    { password: 'wrong' },
    401,
    ['charge', 'charge', 'charge', 'charge', 'find', 'compare'],
  ],
])(
  '%s does the same work and gives the same answer for a known and an unknown address',
  async (_, path, more, status, work) => {
    const [one, other] = [await workFor(path, known, more), await workFor(path, 'other@example.test', more)];
    expect(one).toEqual(other);
    expect(one).toMatchObject({ status, work });
  },
);
