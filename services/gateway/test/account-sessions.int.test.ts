import { sessionSchema, successSchema } from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { testKeyPair } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Of } from '../src/domain/api-key.ts';
import { countedAddress, networksOf } from '../src/domain/client-address.ts';
import { Throttle, type ThrottleRule } from '../src/domain/throttle.ts';
import {
  signInByAddress,
  signInByEmail,
  signInByNetworkAndEmail,
  signUpByNetwork,
  signUpBySiteAndDay,
} from '../src/routes/account/rules.ts';
import type { RedisCounters } from '../src/store/redis-counters.ts';
import { MongoSessions } from '../src/store/sessions.ts';
import { Browser, freshEmail, goodPassword, keyOf, signedUp } from './account-harness.ts';
import { ask, freshAddress } from './ask.ts';
import { World } from './harness.ts';

const nowhere = { address: null, userAgent: null };

let world: World;
let gateway: string;
let other: string;
let counters: RedisCounters;

beforeAll(async () => {
  world = await World.start();
  [gateway, other] = await Promise.all([world.gateway(), world.gateway()]);
  counters = await world.sharedCounters();
});
afterAll(async () => world[Symbol.asyncDispose]());

/** Makes as many attempts as a rule allows. */
async function useUp(rule: ThrottleRule, subject: string): Promise<void> {
  const throttle = new Throttle(counters, Date.now);
  await Promise.all(Array.from({ length: rule.limit }, () => throttle.charge(rule, subject)));
}

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

  const statusFrom = async (address: string, at = gateway) => {
    const body = { email: freshEmail(), password: goodPassword };
    return (await new Browser(at, address).send('POST', '/account', body)).status;
  };

  it.each([
    ['an IPv4 address', () => '203.0.113.7', '203.0.113.8'],
    ['a /56 of IPv6', (n: number) => `2001:db8:1:${n.toString(16)}::1`, '2001:db8:1:100::1'],
  ])(
    'is limited to 20 accounts an hour from %s',
    async (_, from, beside) => {
      const statuses: number[] = [];
      for (let i = 0; i < 21; i += 1) statuses.push(await statusFrom(from(i)));
      expect(statuses).toEqual([...Array.from({ length: 20 }, () => 201), 429]);
      expect(await statusFrom(beside)).toBe(201);
    },
    30_000,
  );

  it.each([
    ['a /24 of IPv4', signUpByNetwork, '198.18.7.1', '198.18.7.200', '198.18.8.1'],
    ['a /48 of IPv6', signUpByNetwork, '2001:db8:2:1::1', '2001:db8:2:ff00::1', '2001:db8:3:1::1'],
    ['an address in a day', signUpBySiteAndDay, '198.18.9.1', '198.18.9.1', '198.18.9.2'],
  ] as const)('is limited from %s', async (_, rule, first, refused, beside) => {
    const { site, network } = networksOf(countedAddress(first));
    await useUp(rule, rule === signUpByNetwork ? network : site);
    expect(await statusFrom(refused)).toBe(429);
    expect(await statusFrom(beside)).toBe(201);
  });

  it('is limited over all clients', async () => {
    const strict = await world.gateway({ env: { SIGN_UPS_PER_HOUR: '1' } });
    expect(await statusFrom(freshAddress())).toBe(201);
    expect(await statusFrom(freshAddress(), strict)).toBe(429);
  });
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

  const signIn = (browser: Browser, email: string, password: string) =>
    browser.send('POST', '/account/session', { email, password });

  it('with wrong passwords is limited per network and e-mail address, with or without an account, and the owner signs in from elsewhere', async () => {
    const owner = await signedUp(gateway);
    for (const [n, email] of [owner.email, freshEmail()].entries()) {
      const from = (host: number) => `192.0.${n}.${host}`;
      for (let i = 0; i < 10; i += 1) {
        const browser = new Browser(i % 2 ? gateway : other, from(i));
        expect((await signIn(browser, email, 'wrong')).status).toBe(401);
      }
      const refused = await signIn(new Browser(gateway, from(99)), email, goodPassword);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBe(refused.body.error?.retry_after);
    }
    expect((await signIn(new Browser(gateway), owner.email, goodPassword)).status).toBe(200);
  }, 30_000);

  it('with the right password is not limited as with wrong ones', async () => {
    const { email } = await signedUp(gateway);
    const address = freshAddress();
    for (let i = 0; i < 12; i += 1) {
      expect((await signIn(new Browser(gateway, address), email, goodPassword)).status).toBe(200);
    }
  });

  it('from a device that has signed in before is possible when strangers have used up every limit, until the password changes', async () => {
    const owner = await signedUp(gateway);
    const attempt = () => signIn(owner, owner.email, goodPassword);
    const { network } = networksOf(owner.address);
    const email = sha256Of(owner.email);
    const used = [
      [signInByAddress, owner.address],
      [signInByNetworkAndEmail, `${network} ${email}`],
      [signInByEmail, email],
    ] as const;
    for (const [rule, subject] of used) await useUp(rule, subject);
    expect((await signIn(new Browser(gateway), owner.email, goodPassword)).status).toBe(429);
    expect((await attempt()).status).toBe(200);
    const { device } = await signedUp(gateway);
    const stranger = Object.assign(new Browser(gateway), { device });
    expect((await signIn(stranger, owner.email, goodPassword)).status).toBe(429);
    const forged = Object.assign(new Browser(gateway), { device: `${owner.device}x` });
    expect((await signIn(forged, owner.email, goodPassword)).status).toBe(429);
    await world.command(['account', 'password', owner.id]);
    expect((await attempt()).status).toBe(429);
  }, 30_000);

  it('from a device that shows no known account is limited before its body, whatever the network', async () => {
    const { device } = await signedUp(gateway);
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) {
      const browser = Object.assign(new Browser(gateway), { device });
      statuses.push((await browser.send('POST', '/account/session', { email: 'no address' })).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429]);
  });

  it('with wrong passwords from a known device is limited per device', async () => {
    const owner = await signedUp(gateway);
    const { device } = owner;
    const statuses: number[] = [];
    for (let i = 0; i < 11; i += 1) statuses.push((await signIn(owner, owner.email, 'wrong')).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    const again = Object.assign(new Browser(other), { device });
    expect((await signIn(again, owner.email, goodPassword)).status).toBe(429);
    expect((await signIn(new Browser(other), owner.email, goodPassword)).status).toBe(200);
  });

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
      /^__Secure-sigcast_refresh=ses_\w{26}\.[\w-]{22}\.[\w-]{43}; Path=\/account\/session; Max-Age=259\d{4}; HttpOnly; SameSite=Strict; Secure$/,
    );
    const foreign = await browser.send('POST', '/account/session/refresh', undefined, {
      'sec-fetch-site': 'cross-site',
    });
    expect(foreign.status).toBe(403);
    expect((await browser.send('POST', '/account/session/refresh')).status).toBe(200);
  });

  it('has cookies with the prefix __Secure-, except over plain http, where browsers might not keep them', async () => {
    const cookiesOf = async (at: string) => {
      const body = { email: freshEmail(), password: goodPassword };
      return (await new Browser(at).send('POST', '/account', body)).headers.getSetCookie();
    };
    const secure = expect.stringMatching(/^__Secure-sigcast_(refresh|device)=.*; SameSite=Strict; Secure$/);
    expect(await cookiesOf(gateway)).toEqual([secure, secure]);
    const plain = expect.stringMatching(/^sigcast_(refresh|device)=.*; SameSite=Strict$/);
    for (const env of [{ TRUST_PROXY: 'false' }, { PUBLIC_URL: 'http://192.0.2.1' }]) {
      expect(await cookiesOf(await world.gateway({ env }))).toEqual([plain, plain]);
    }
    // Anybody who can answer a plain-http request of the browser could have set a cookie without the prefix.
    const browser = await signedUp(gateway);
    browser.cookie = browser.cookie?.replace('__Secure-', '');
    expect((await browser.send('POST', '/account/session/refresh')).status).toBe(401);
  });

  it('can not be ended by somebody who knows its id and none of its tokens', async () => {
    const browser = await signedUp(gateway);
    const stranger = new Browser(gateway);
    const id = browser.cookie?.split('=')[1]?.split('.')[0] ?? '';
    stranger.cookie = `__Secure-sigcast_refresh=${id}.${'a'.repeat(22)}.${'b'.repeat(43)}`;
    expect((await stranger.send('POST', '/account/session/refresh')).status).toBe(401);
    stranger.cookie = `__Secure-sigcast_refresh=${id}.${'a'.repeat(22)}.${'b'.repeat(43)}`;
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
    const late = await sessions.open(browser.id, found?.passwordHash ?? '', nowhere);
    expect(await sessions.isOpen(late.sessionId, browser.id)).toBe(false);
    expect(await sessions.renew(late.text, nowhere)).toBeUndefined();
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
        current_password: goodPassword,
        new_password: 'a wholly different one',
        ...(revokeAccess && { revoke_access: true }),
      });
      expect(status).toBe(200);
      expect((await ask(other, '/v1/signals', { key })).status).toBe(revokeAccess ? 401 : 200);
      const stored = await world.models.accounts.findById(browser.id).lean();
      expect(stored?.access_revoked_at !== undefined).toBe(revokeAccess);
    }
  });

  it('is limited per session, so that a stolen one neither guesses the password nor keeps the owner from changing it', async () => {
    const owner = await signedUp(gateway);
    const thief = Object.assign(new Browser(other), { token: owner.token });
    const change = (browser: Browser, current_password: string) =>
      browser.send('POST', '/account/password', { current_password, new_password: 'a wholly different one' });
    for (let n = 0; n < 10; n += 1) expect((await change(thief, 'wrong')).status).toBe(400);
    expect((await change(thief, goodPassword)).status).toBe(429);
    const { email } = owner;
    expect((await owner.send('POST', '/account/session', { email, password: goodPassword })).status).toBe(
      200,
    );
    expect((await change(owner, goodPassword)).status).toBe(200);
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
    const sign = identitySigner('gateway', world.identityKeys.privateKey, 'signals');
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
