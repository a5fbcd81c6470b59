import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MongoAccounts } from '../src/store/accounts.ts';
import { MongoSessions } from '../src/store/sessions.ts';
import { Browser, goodPassword, signedUp } from './account-harness.ts';
import { Authenticator } from './authenticator.ts';
import { Phone, password, signIn, switchOn } from './factor-harness.ts';
import { World } from './harness.ts';
import { atSecondLook } from './second-look.ts';

const origin = 'https://app.example.test';
const phone = new Phone();
let world: World;
let gateway: string;
let other: string;

beforeAll(async () => {
  world = await World.start();
  const choices = { env: { PUBLIC_URL: origin }, clock: phone.clock };
  [gateway, other] = await Promise.all([world.gateway(choices), world.gateway(choices)]);
});
afterAll(async () => world[Symbol.asyncDispose]());

/** Options as a browser is given them. */
type Options = Parameters<Authenticator['create']>[0];

async function creationOptions(browser: Browser): Promise<Options> {
  const answer = await browser.send('POST', '/account/passkeys/options', password);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.data?.options as Options;
}

function add(browser: Browser, credential: object, name = 'Laptop') {
  return browser.send('POST', '/account/passkeys', { name, credential });
}

/** A browser whose account has a passkey. */
async function withPasskey() {
  const browser = await signedUp(gateway);
  const authenticator = new Authenticator(origin);
  const added = await add(browser, authenticator.create(await creationOptions(browser)));
  if (added.status !== 201) throw new Error(JSON.stringify(added.body));
  return { browser, authenticator, id: String(added.body.data?.id) };
}

async function requestOptions(browser: Browser): Promise<Options> {
  return (await browser.send('POST', '/account/session/passkey/options')).body.data?.options as Options;
}

function enter(browser: Browser, credential: object) {
  return browser.send('POST', '/account/session/passkey', { credential });
}

describe('a passkey', () => {
  it('signs in without e-mail address, password and code, and its holder sees when', async () => {
    const { browser, authenticator, id } = await withPasskey();
    await switchOn(browser, phone);
    const fresh = new Browser(other);
    const answer = await enter(fresh, authenticator.get(await requestOptions(fresh)));
    expect(answer).toMatchObject({ status: 200, body: { data: { account: { id: browser.id } } } });
    expect((await fresh.send('GET', '/account')).status).toBe(200);
    expect((await browser.send('GET', '/account/factors')).body.data).toMatchObject({
      passkeys: [{ id, name: 'Laptop', last_used_at: expect.any(String) }],
      passkey_host: 'app.example.test',
    });
  });

  it('is added with a session and its password, and removed with them', async () => {
    const { browser, authenticator, id } = await withPasskey();
    const wrong = { current_password: 'wrong' };
    for (const [method, path] of [
      ['POST', '/account/passkeys/options'],
      ['DELETE', `/account/passkeys/${id}`],
    ] as const) {
      const refused = await browser.send(method, path, wrong);
      expect(refused.body.error?.details).toMatchObject([{ field: 'current_password' }]);
    }
    const foreign = await signedUp(gateway);
    expect((await foreign.send('DELETE', `/account/passkeys/${id}`, password)).status).toBe(404);
    expect((await browser.send('DELETE', `/account/passkeys/${id}`, password)).status).toBe(204);
    const fresh = new Browser(gateway);
    expect((await enter(fresh, authenticator.get(await requestOptions(fresh)))).status).toBe(401);
    // Never the only way in.
    expect((await signIn(fresh, browser.email)).status).toBe(200);
  });

  it('answers a challenge once, also at two gateways at once', async () => {
    const { authenticator } = await withPasskey();
    const options = await requestOptions(new Browser(gateway));
    const answer = authenticator.get(options);
    const all = await Promise.all([gateway, other, gateway].map((at) => enter(new Browser(at), answer)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect((await enter(new Browser(other), answer)).status).toBe(401);
    // Signed again, and so with a higher counter.
    expect((await enter(new Browser(other), authenticator.get(options))).status).toBe(401);
  });

  it('is not added by an answer that was used, to another account, or twice', async () => {
    const browser = await signedUp(gateway);
    const authenticator = new Authenticator(origin);
    const answer = authenticator.create(await creationOptions(browser));
    const foreign = await signedUp(gateway);
    expect((await add(foreign, answer)).body.error?.details).toMatchObject([{ field: 'credential' }]);
    expect((await add(browser, answer)).status).toBe(201);
    expect((await add(browser, answer)).body.error?.details).toMatchObject([{ field: 'credential' }]);
    const again = authenticator.create(await creationOptions(foreign));
    expect((await add(foreign, again)).status).toBe(409);
  });

  it.each([
    ['from a page of another origin', { origin: 'https://app.example.test.evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['without verifying its user', { verified: false }],
  ])('is refused when it is used %s', async (_, choices) => {
    const { authenticator } = await withPasskey();
    const fresh = new Browser(gateway);
    expect((await enter(fresh, authenticator.get(await requestOptions(fresh), choices))).status).toBe(401);
    const browser = await signedUp(gateway);
    const made = new Authenticator(origin).create(await creationOptions(browser), choices);
    expect((await add(browser, made)).status).toBe(400);
  });

  it('whose counter goes back, or stands still, is a copy and refused', async () => {
    const { authenticator } = await withPasskey();
    const use = async (counter: number) => {
      const fresh = new Browser(gateway);
      return (await enter(fresh, authenticator.get(await requestOptions(fresh), { counter }))).status;
    };
    expect([await use(7), await use(7), await use(3), await use(0), await use(8)]).toEqual([
      200, 401, 401, 401, 200,
    ]);
  });

  it('that does not count signs in again and again', async () => {
    const { authenticator } = await withPasskey();
    for (let use = 0; use < 3; use += 1) {
      const fresh = new Browser(gateway);
      const answer = authenticator.get(await requestOptions(fresh), { counter: 0 });
      expect((await enter(fresh, answer)).status).toBe(200);
    }
  });

  it('of one account opens no other one, and no made-up challenge counts', async () => {
    const mine = await withPasskey();
    const theirs = await withPasskey();
    const fresh = new Browser(gateway);
    const options = await requestOptions(fresh);
    const posing = { ...mine.authenticator.get(options), id: theirs.authenticator.id.toString('base64url') };
    expect((await enter(fresh, { ...posing, rawId: posing.id })).status).toBe(401);
    mine.authenticator.userHandle = theirs.authenticator.userHandle;
    expect((await enter(fresh, mine.authenticator.get(options))).status).toBe(401);
    const forAccount = await creationOptions(theirs.browser);
    for (const challenge of [forAccount.challenge, 'bWFkZSB1cA', '']) {
      const answer = theirs.authenticator.get({ ...options, challenge });
      expect((await enter(fresh, answer)).status).toBe(401);
    }
    expect((await enter(fresh, theirs.authenticator.get(options))).status).toBe(200);
  });

  it('is refused when another site asks, by Sec-Fetch-Site or else by Origin', async () => {
    const { authenticator } = await withPasskey();
    const fresh = new Browser(gateway);
    const body = { credential: authenticator.get(await requestOptions(fresh)) };
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
      const answer = await fresh.send('POST', '/account/session/passkey', body, headers);
      expect(answer.status).toBe(403);
    }
    const own = await fresh.send('POST', '/account/session/passkey', body, { origin });
    expect(own.status).toBe(200);
  });

  it('makes strangers store nothing, whatever they send', async () => {
    const before = await world.models.usedChallenges.countDocuments();
    const fresh = new Browser(gateway);
    const authenticator = new Authenticator(origin);
    for (let tries = 0; tries < 3; tries += 1) {
      expect((await enter(fresh, authenticator.get(await requestOptions(fresh)))).status).toBe(401);
    }
    expect(await world.models.usedChallenges.countDocuments()).toBe(before);
  });

  it('does not open a suspended account', async () => {
    const { browser, authenticator } = await withPasskey();
    await world.accounts.setStatus(browser.id, 'suspended');
    const fresh = new Browser(gateway);
    expect((await enter(fresh, authenticator.get(await requestOptions(fresh)))).status).toBe(403);
  });

  it('is removed by a new password that revokes all access, and by no other one', async () => {
    const { browser, authenticator } = await withPasskey();
    const passwords = { current_password: goodPassword, new_password: 'a wholly different one' };
    await browser.send('POST', '/account/password', passwords);
    const fresh = new Browser(gateway);
    expect((await enter(fresh, authenticator.get(await requestOptions(fresh)))).status).toBe(200);
    const back = { current_password: passwords.new_password, new_password: goodPassword };
    await browser.send('POST', '/account/password', { ...back, revoke_access: true });
    expect((await enter(fresh, authenticator.get(await requestOptions(fresh)))).status).toBe(401);
  });

  it('made before access was revoked does not sign in, also while it is not removed yet', async () => {
    const { browser, authenticator } = await withPasskey();
    const found = await world.accounts.findWithPassword(browser.id);
    const change = { from: found?.passwordHash ?? '', to: 'x', revokeAccess: true };
    const accounts = new MongoAccounts(world.models, phone.clock);
    expect(await accounts.replacePassword(browser.id, change)).toBe(true);
    const fresh = new Browser(gateway);
    expect((await enter(fresh, authenticator.get(await requestOptions(fresh)))).status).toBe(401);
  });

  it('is not added by a session that ends, with all passkeys, at that very moment', async () => {
    const browser = await signedUp(gateway);
    const answer = new Authenticator(origin).create(await creationOptions(browser));
    const look = atSecondLook(() => world.command(['account', 'password', browser.id]));
    await add(browser, answer);
    expect(look.end()).toBe(2);
    expect(await world.models.passkeys.countDocuments({ account: browser.id })).toBe(0);
  });

  it('that is refused because its session has ended leaves no entry in the audit log', async () => {
    const browser = await signedUp(gateway);
    const answer = new Authenticator(origin).create(await creationOptions(browser));
    const { isOpen } = MongoSessions.prototype;
    const spy = vi.spyOn(MongoSessions.prototype, 'isOpen');
    spy.mockImplementationOnce(isOpen).mockResolvedValueOnce(false);
    expect((await add(browser, answer)).status).toBe(401);
    spy.mockRestore();
    expect(await world.models.passkeys.countDocuments({ account: browser.id })).toBe(0);
    const entry = { account: browser.id, action: 'passkey.added' } as const;
    expect(await world.models.audit.countDocuments(entry)).toBe(0);
  });

  it('is one of ten at most, however many are added at once', async () => {
    const browser = await signedUp(gateway);
    const made = [];
    for (let n = 0; n < 12; n += 1) {
      made.push(new Authenticator(origin).create(await creationOptions(browser)));
    }
    const statuses = (await Promise.all(made.map((one) => add(browser, one)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array.from({ length: 10 }, () => 201), 409, 409]);
    const eleventh = await browser.send('POST', '/account/passkeys/options', password);
    expect(eleventh.body.error?.code).toBe('CONFLICT');
  });

  it('needs a host name: at an IP address the answer says so, at localhost it works', async () => {
    const nameless = await world.gateway({ env: { PUBLIC_URL: 'http://127.0.0.1:8080' } });
    const browser = await signedUp(nameless);
    const refused = await browser.send('POST', '/account/passkeys/options', password);
    expect(refused.body.error?.message).toContain('host name');
    expect((await browser.send('GET', '/account/factors')).body.data).toMatchObject({ passkey_host: null });
    const local = Object.assign(new Browser(nameless.replace('127.0.0.1', 'localhost')), {
      token: browser.token,
    });
    const authenticator = new Authenticator(local.gateway);
    expect((await add(local, authenticator.create(await creationOptions(local)))).status).toBe(201);
    const fresh = new Browser(local.gateway);
    expect((await enter(fresh, authenticator.get(await requestOptions(fresh)))).status).toBe(200);
  });
});
