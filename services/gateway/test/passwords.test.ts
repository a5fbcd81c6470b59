import { setImmediate } from 'node:timers/promises';
import { unavailable } from '@sigcast/contracts';
import { createApp, finishApp, serve } from '@sigcast/http';
import { silentLogger } from '@sigcast/runtime';
import { describe, expect, it } from 'vitest';
import { hashPassword, passwordMatches } from '../src/domain/password.ts';
import { type PasswordCaller, PasswordService } from '../src/domain/password-service.ts';
import { accountRoutes } from '../src/routes/account/account-routes.ts';
import type { AccountDeps } from '../src/routes/account/deps.ts';

describe('passwords', () => {
  it('match their own hash and no other', async () => {
    const hash = await hashPassword('correct horse battery');
    expect(hash).not.toContain('horse');
    expect(await passwordMatches('correct horse battery', hash)).toBe(true);
    expect(await passwordMatches('correct horse batterz', hash)).toBe(false);
    expect(await passwordMatches('x', 'not a hash')).toBe(false);
  });
});

const isGone = () => false;
const network = (name: string) => ({ kind: 'stranger', name, isGone }) as const;
const account = (name: string) => ({ kind: 'known', name, isGone }) as const;

/** A password service whose hashes end one by one, when the test says so. */
function gatedService() {
  const running: { readonly password: string; readonly end: () => void }[] = [];
  const passwords = new PasswordService({
    hash: (password) =>
      new Promise((resolve) => {
        running.push({ password, end: () => resolve('h') });
      }),
    matches: () => Promise.resolve(true),
  });
  const ended: string[] = [];
  const refused: string[] = [];
  const ask = (password: string, caller: PasswordCaller) =>
    passwords.hash(password, caller).then(
      () => ended.push(password),
      () => refused.push(password),
    );
  /** Ends all hashes, in the order in which they began. */
  const endAll = async () => {
    await setImmediate();
    for (let next = running.shift(); next !== undefined; next = running.shift()) {
      next.end();
      await setImmediate();
    }
  };
  return { passwords, ask, endAll, ended, refused, running };
}

describe('the password service', () => {
  it('compares a password also for an unknown e-mail address, so that the time it takes tells nothing', async () => {
    let compared = 0;
    const passwords = new PasswordService({
      hash: () => Promise.resolve('h'),
      matches: () => {
        compared += 1;
        return Promise.resolve(true);
      },
    });
    expect(await passwords.matches('p', async () => undefined, network('n'))).toBe(false);
    expect(compared).toBe(1);
    expect(await passwords.matches('p', async () => 'stored', network('n'))).toBe(true);
    expect(compared).toBe(2);
  });

  it('hashes one password of strangers at a time, and two of known accounts', async () => {
    const { ask, endAll, running } = gatedService();
    for (let n = 0; n < 3; n += 1) void ask(`stranger ${n}`, network(`n${n}`));
    await setImmediate();
    expect(running.map(({ password }) => password)).toEqual(['stranger 0']);
    void ask('known', account('a'));
    await setImmediate();
    expect(running.map(({ password }) => password)).toEqual(['stranger 0', 'known']);
    await endAll();
  });

  it('serves networks in turn, so that a flood from one refuses only its own and delays another network by one hash', async () => {
    const { passwords, ask, endAll, ended, refused } = gatedService();
    for (let n = 0; n < 200; n += 1) void ask(`flood ${n}`, network('flood'));
    expect(() => passwords.requirePlace(network('flood'))).toThrow('temporarily unavailable');
    expect(() => passwords.requirePlace(network('another'))).not.toThrow();
    void ask('another', network('another'));
    await endAll();
    expect(ended.indexOf('another')).toBeLessThanOrEqual(2);
    expect(refused).toHaveLength(194);
    expect(refused).not.toContain('another');
  });

  it('keeps a place for another network when a hundred requests of few networks wait, and for a known account always', async () => {
    const { ask, endAll, ended, refused } = gatedService();
    for (let n = 0; n < 200; n += 1) void ask(`flood ${n}`, network(`flood ${n % 20}`));
    void ask('another', network('another'));
    void ask('known', account('a'));
    await endAll();
    expect(refused).not.toContain('another');
    expect(ended.indexOf('another')).toBeLessThanOrEqual(22);
    expect(ended.indexOf('known')).toBeLessThanOrEqual(1);
  });

  it('hashes nothing for a client that has gone away while it waited', async () => {
    const { ask, endAll, ended, refused } = gatedService();
    let gone = false;
    for (let n = 0; n < 4; n += 1) void ask(`gone ${n}`, { ...network('n'), isGone: () => gone });
    gone = true;
    void ask('late', network('n'));
    await endAll();
    // The first had begun.
    expect(ended).toEqual(['gone 0', 'late']);
    expect(refused).toHaveLength(3);
  });

  it('gives strangers their turn, however many passwords of known accounts wait', async () => {
    const { ask, endAll, ended } = gatedService();
    for (let n = 0; n < 40; n += 1) void ask(`known ${n}`, account(`a${n % 10}`));
    void ask('stranger', network('n'));
    await endAll();
    expect(ended.indexOf('stranger')).toBeLessThanOrEqual(4);
  });
});

describe('a sign-in that gets no answer about its password', () => {
  const storeFails = () => Promise.reject(unavailable('The store'));

  /** What stays counted of a request whose hash, or a call of the store, fails. */
  async function counted(
    matches: (find: () => Promise<unknown>) => Promise<boolean>,
    { of = 'session', accounts = {} }: { of?: 'session' | 'password'; accounts?: object } = {},
  ) {
    const names: string[] = [];
    const throttle = {
      charge: async ({ name }: { name: string }) => void names.push(name),
      refund: async ({ name }: { name: string }) => void names.splice(names.indexOf(name), 1),
    };
    const deps = {
      throttle,
      trustProxy: false,
      isCommonPassword: () => false,
      verifyAccess: () => ({ subject: 'acct_1', sessionId: 'ses_1' }),
      audit: { add: async () => 'aud_1' },
      sessions: { isOpen: async () => true },
      secondFactors: { find: async () => undefined },
      passwords: {
        requirePlace: () => undefined,
        matches: (_: string, find: () => Promise<unknown>) => matches(find),
        hash: async () => 'new',
      },
      accounts: {
        find: async () => ({ id: 'acct_1', status: 'active', email: 'a@example.test' }),
        findWithPassword: storeFails,
        ...accounts,
      },
    } as unknown as AccountDeps;
    const app = createApp(silentLogger());
    accountRoutes(app, deps);
    await using resources = new AsyncDisposableStack();
    const at = { host: '127.0.0.1', port: 0 };
    const url = await serve(finishApp(app, silentLogger()), at, silentLogger(), resources);
    const body = JSON.stringify(
      of === 'session'
        ? { email: 'a@example.test', password: 'x' }
        : { current_password: 'x', new_password: 'a new password' },
    );
    const headers = { 'Content-Type': 'application/json', Connection: 'close' };
    expect((await fetch(`${url}/account/${of}`, { method: 'POST', headers, body })).status).toBe(503);
    return names;
  }

  it('stays counted where no place is left for its hash, so that nobody fills the queue for nothing', async () => {
    expect(await counted(() => Promise.reject(unavailable('Signing in')))).toEqual([
      ...['sign-in-from', 'sign-in-from-network'],
    ]);
  });

  it('is not counted where the store fails', async () => {
    expect(await counted(async (find) => Boolean(await find()))).toEqual([]);
  });

  it('is not counted as a try to set a new password where the store fails', async () => {
    const findWithPassword = async () => ({ passwordHash: 'old' });
    for (const accounts of [{}, { findWithPassword, replacePassword: storeFails }])
      expect(await counted(async () => true, { of: 'password', accounts })).toEqual(['account-of']);
  });
});
