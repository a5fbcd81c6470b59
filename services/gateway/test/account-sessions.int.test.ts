import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sessionSchema, successSchema } from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { testKeyPair } from '@sigcast/testing';
import { MongoSessions } from '../src/store/sessions.ts';
import { Browser, freshEmail, goodPassword, keyOf, signedUp } from './account-harness.ts';
import { ask, freshAddress } from './ask.ts';
import { World } from './harness.ts';

let world: World;
let gateway: string;
let other: string;

beforeAll(async () => {
  world = await World.start();
  [gateway, other] = await Promise.all([world.gateway(), world.gateway()]);
});
afterAll(async () => world[Symbol.asyncDispose]());

describe('signing up', () => {
  it('creates an account on the standard plan and begins a session', async () => {
    const browser = new Browser(gateway);
    const email = freshEmail();
    const answer = await browser.send('POST', '/account', {
      email: ` ${email.toUpperCase()} `,
      password: goodPassword,
    });
    expect(answer.status).toBe(201);
    expect(successSchema(sessionSchema).parse(answer.body)).toMatchObject({
      data: { expires_in: 600, account: { email, plan: { name: 'standard', requests_per_minute: 60 } } },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await browser.send('GET', '/account')).body.data).toMatchObject({ email, status: 'active' });
  });

  it('is refused for an e-mail address that has an account, in upper or lower case', async () => {
    const { email } = await signedUp(gateway);
    const again = await new Browser(gateway).send('POST', '/account', {
      email: email.toUpperCase(),
      password: goodPassword,
    });
    expect(again.body.error?.code).toBe('CONFLICT');
  });

  it.each([
    [{ email: 'nobody', password: goodPassword }, ['email']],
    [{ email: 'a@example.test', password: 'short' }, ['password']],
    [{ email: 'a@example.test', password: 'aaaaaaaaaaaaaaaa' }, ['password']],
    [{ email: 'longer@example.test', password: 'xx longer@example.test' }, ['password']],
    [{ email: 'a@example.test' }, ['password']],
    [{ email: 'a@example.test', password: goodPassword, admin: true }, ['admin']],
    [{ email: ['a@example.test'], password: { $ne: 1 } }, ['email', 'password']],
  ])('is refused for %j, and the answer names the fields', async (body, fields) => {
    const answer = await new Browser(gateway).send('POST', '/account', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error?.details?.map(({ field }) => field)).toEqual(fields);
  });

  it('is limited per client address', async () => {
    const address = freshAddress();
    const statuses: number[] = [];
    for (let i = 0; i < 21; i += 1) {
      const { status } = await new Browser(gateway, address).send('POST', '/account', {
        email: 'taken@example.test',
        password: goodPassword,
      });
      statuses.push(status);
    }
    expect(statuses.slice(0, 20).filter((status) => status === 429)).toEqual([]);
    expect(statuses[20]).toBe(429);
  }, 30_000);
});

describe('signing in', () => {
  it('gets the same answer for an unknown e-mail address as for a wrong password', async () => {
    const { email } = await signedUp(gateway);
    const wrong = await new Browser(gateway).send('POST', '/account/session', { email, password: 'wrong' });
    const unknown = await new Browser(gateway).send('POST', '/account/session', {
      email: freshEmail(),
      password: 'wrong',
    });
    expect(wrong.status).toBe(401);
    const { message, code } = wrong.body.error ?? {};
    expect(unknown.body.error).toMatchObject({ message, code });
  });

  it('with wrong passwords is limited per e-mail address over all clients, with or without an account; with the right one it is not', async () => {
    for (const email of [(await signedUp(gateway)).email, freshEmail()]) {
      for (let i = 0; i < 10; i += 1) {
        const at = i % 2 ? gateway : other;
        const { status } = await new Browser(at).send('POST', '/account/session', {
          email,
          password: 'wrong',
        });
        expect(status).toBe(401);
      }
      const refused = await new Browser(gateway).send('POST', '/account/session', {
        email,
        password: goodPassword,
      });
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBe(refused.body.error?.retry_after);
    }
    const { email } = await signedUp(gateway);
    for (let i = 0; i < 12; i += 1) {
      const { status } = await new Browser(gateway).send('POST', '/account/session', {
        email,
        password: goodPassword,
      });
      expect(status).toBe(200);
    }
  }, 30_000);

  it('is limited per client address over all accounts', async () => {
    const address = freshAddress();
    const statuses: number[] = [];
    for (let i = 0; i < 31; i += 1) {
      const body = { email: freshEmail(), password: 'wrong' };
      statuses.push((await new Browser(gateway, address).send('POST', '/account/session', body)).status);
    }
    expect(new Set(statuses.slice(0, 30))).toEqual(new Set([401]));
    expect(statuses[30]).toBe(429);
  }, 30_000);
});

describe('a session', () => {
  it('is renewed with its cookie alone, which scripts and other sites can not use', async () => {
    const browser = await signedUp(gateway);
    const { headers } = await browser.send('POST', '/account/session/refresh');
    const cookie = headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      /^sigcast_refresh=ses_\w{26}\.[\w-]{22}\.[\w-]{43}; Path=\/account\/session; Max-Age=259\d{4}; HttpOnly; SameSite=Strict; Secure$/,
    );
    const foreign = await browser.send('POST', '/account/session/refresh', undefined, {
      'sec-fetch-site': 'cross-site',
    });
    expect(foreign.status).toBe(403);
    expect((await browser.send('POST', '/account/session/refresh')).status).toBe(200);
  });

  it('has a Secure cookie, except for a client on the same machine, where browsers might not keep it', async () => {
    const local = await world.gateway({ env: { TRUST_PROXY: 'false' } });
    const answer = await new Browser(local).send('POST', '/account', {
      email: freshEmail(),
      password: goodPassword,
    });
    expect(answer.headers.get('set-cookie')).toMatch(/; SameSite=Strict$/);
  });

  it('can not be ended by somebody who knows its id and none of its tokens', async () => {
    const browser = await signedUp(gateway);
    const stranger = new Browser(gateway);
    const id = browser.cookie?.split('=')[1]?.split('.')[0] ?? '';
    stranger.cookie = `sigcast_refresh=${id}.${'a'.repeat(22)}.${'b'.repeat(43)}`;
    expect((await stranger.send('POST', '/account/session/refresh')).status).toBe(401);
    stranger.cookie = `sigcast_refresh=${id}.${'a'.repeat(22)}.${'b'.repeat(43)}`;
    expect((await stranger.send('DELETE', '/account/session')).status).toBe(204);
    expect((await browser.send('POST', '/account/session/refresh')).status).toBe(200);
  });

  it('ends when its holder signs out with a token that somebody else has replaced', async () => {
    const browser = await signedUp(gateway);
    const thief = Object.assign(new Browser(other), { cookie: browser.cookie });
    expect((await thief.send('POST', '/account/session/refresh')).status).toBe(200);
    expect((await browser.send('DELETE', '/account/session')).status).toBe(204);
    expect((await thief.send('POST', '/account/session/refresh')).status).toBe(401);
  });

  it('that is opened with a password which was changed meanwhile has ended from the beginning', async () => {
    const browser = await signedUp(gateway);
    const found = await world.accounts.findWithPassword(browser.email);
    const sessions = new MongoSessions(world.models, Date.now);
    const changed = { current_password: goodPassword, new_password: 'a wholly different one' };
    expect((await browser.send('POST', '/account/password', changed)).status).toBe(200);
    const late = await sessions.open(browser.id, found?.passwordHash ?? '');
    expect(await sessions.isOpen(late.sessionId, browser.id)).toBe(false);
    expect(await sessions.renew(late.text)).toBeUndefined();
  });

  it('ends for everybody when a refresh token that was replaced a minute ago is used again', async () => {
    const browser = await signedUp(gateway);
    const thief = Object.assign(new Browser(other), { cookie: browser.cookie });
    expect((await browser.send('POST', '/account/session/refresh')).status).toBe(200);
    await world.models.sessions.updateOne(
      { account: browser.id },
      { replaced_at: new Date(Date.now() - 60_000) },
    );
    expect((await thief.send('POST', '/account/session/refresh')).status).toBe(401);
    expect((await browser.send('POST', '/account/session/refresh')).status).toBe(401);
    expect((await browser.send('GET', '/account')).status).toBe(401);
  });

  it('ends for everybody when a refresh token whose successor was replaced is used again, however soon', async () => {
    const browser = await signedUp(gateway);
    const thief = Object.assign(new Browser(other), { cookie: browser.cookie });
    for (let at = 0; at < 2; at += 1) await browser.send('POST', '/account/session/refresh');
    expect((await thief.send('POST', '/account/session/refresh')).status).toBe(401);
    expect((await browser.send('POST', '/account/session/refresh')).status).toBe(401);
  });

  it('goes on when the answer with the next token was lost', async () => {
    const browser = await signedUp(gateway);
    const lost = Object.assign(new Browser(other), { cookie: browser.cookie });
    expect((await lost.send('POST', '/account/session/refresh')).status).toBe(200);
    for (let at = 0; at < 2; at += 1) {
      expect((await browser.send('POST', '/account/session/refresh')).status).toBe(200);
    }
  });

  it('gets one successor when two requests use its token at the same time', async () => {
    const browser = await signedUp(gateway);
    const twins = [gateway, other].map((at) => Object.assign(new Browser(at), { cookie: browser.cookie }));
    const answers = await Promise.all(twins.map((twin) => twin.send('POST', '/account/session/refresh')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(twins[0]?.cookie).toBe(twins[1]?.cookie);
    expect(twins[0]?.cookie).not.toBe(browser.cookie);
  });

  it('ends at once when its holder signs out, and signing out twice is no error', async () => {
    const browser = await signedUp(gateway);
    const { cookie } = browser;
    expect((await browser.send('DELETE', '/account/session')).status).toBe(204);
    expect(browser.cookie).toBeUndefined();
    expect((await browser.send('GET', '/account')).status).toBe(401);
    browser.cookie = cookie;
    expect((await browser.send('DELETE', '/account/session')).status).toBe(204);
    expect((await browser.send('POST', '/account/session/refresh')).status).toBe(401);
  });

  it('is refused from the next request on after its account was suspended', async () => {
    const browser = await signedUp(gateway);
    await world.accounts.setStatus(browser.id, 'suspended');
    expect((await browser.send('GET', '/account')).status).toBe(403);
    expect((await browser.send('POST', '/account/session/refresh')).status).toBe(403);
    const { email } = browser;
    const answer = await new Browser(gateway).send('POST', '/account/session', {
      email,
      password: goodPassword,
    });
    expect(answer.status).toBe(403);
  });
});

describe('changing the password', () => {
  it('ends all other sessions, and only the new password is accepted', async () => {
    const browser = await signedUp(gateway);
    const { email } = browser;
    const elsewhere = new Browser(other);
    await elsewhere.send('POST', '/account/session', { email, password: goodPassword });
    const passwords = { current_password: goodPassword, new_password: 'a wholly different one' };
    expect((await browser.send('POST', '/account/password', passwords)).status).toBe(200);
    expect((await browser.send('GET', '/account')).status).toBe(200);
    expect((await browser.send('POST', '/account/session/refresh')).status).toBe(200);
    expect((await elsewhere.send('GET', '/account')).status).toBe(401);
    expect((await elsewhere.send('POST', '/account/session/refresh')).status).toBe(401);
    const signIn = async (password: string) =>
      (await new Browser(gateway).send('POST', '/account/session', { email, password })).status;
    expect(await signIn(goodPassword)).toBe(401);
    expect(await signIn('a wholly different one')).toBe(200);
  });

  it('revokes keys at every gateway, and webhooks, only where that is asked for', async () => {
    for (const revokeAccess of [false, true]) {
      const browser = await signedUp(gateway);
      const key = await keyOf(browser);
      expect((await ask(other, '/v1/signals', { key })).status).toBe(200);
      const { status } = await browser.send('POST', '/account/password', {
        ...{ current_password: goodPassword, new_password: 'a wholly different one' },
        ...(revokeAccess && { revoke_access: true }),
      });
      expect(status).toBe(200);
      expect((await ask(other, '/v1/signals', { key })).status).toBe(revokeAccess ? 401 : 200);
      const stored = await world.models.accounts.findById(browser.id).lean();
      expect(stored?.access_revoked_at !== undefined).toBe(revokeAccess);
    }
  });

  it('requires the current password', async () => {
    const browser = await signedUp(gateway);
    const answer = await browser.send('POST', '/account/password', {
      current_password: 'not it',
      new_password: 'a wholly different one',
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error?.details).toMatchObject([{ field: 'current_password' }]);
  });
});

describe('access tokens', () => {
  it('are the only credential for /account: an API key and an identity for services are refused', async () => {
    const browser = await signedUp(gateway);
    const { key, account } = await world.customer();
    const sign = identitySigner('gateway', world.identityKeys.privateKey);
    const identity = sign({ subject: account, scopes: [], ttlS: 60, sessionId: 'ses_x' });
    for (const token of [key, identity, '', 'a.b.c', `${browser.token}x`]) {
      browser.token = token;
      const answer = await browser.send('GET', '/account');
      expect(answer.body.error?.code).toBe('UNAUTHORIZED');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('signed with the old and the new key are both accepted while keys rotate', async () => {
    const next = testKeyPair();
    const bundle = world.identityKeys.publicKey + next.publicKey;
    const [before, after] = await Promise.all([
      world.gateway({ env: { GATEWAY_PUBLIC_KEYS: bundle } }),
      world.gateway({ env: { GATEWAY_PUBLIC_KEYS: bundle, IDENTITY_PRIVATE_KEY: next.privateKey } }),
    ]);
    for (const [made, used] of [
      [before, after],
      [after, before],
    ] as const) {
      const { token } = await signedUp(made);
      const browser = Object.assign(new Browser(used), { token });
      expect((await browser.send('GET', '/account')).status).toBe(200);
    }
  });
});
