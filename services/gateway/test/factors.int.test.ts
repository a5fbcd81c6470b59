import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSealKey, sealer, sealKeys } from '@sigcast/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Throttle, type ThrottleRule } from '../src/domain/throttle.ts';
import {
  signedInByOthers,
  wrongCodeByAccount,
  wrongCodeByAccountAndDay,
  wrongCodeByDevice,
} from '../src/routes/account/rules.ts';
import { MongoSecondFactors, resealSeeds } from '../src/store/second-factors.ts';
import { Browser, freshEmail, goodPassword, signedUp } from './account-harness.ts';
import { Phone, password, signIn, switchOn } from './factor-harness.ts';
import { World } from './harness.ts';

const phone = new Phone();
const mailDir = mkdtempSync(join(tmpdir(), 'sigcast-factors-'));
let world: World;
let gateway: string;
let other: string;

beforeAll(async () => {
  world = await World.start();
  const { clock } = phone;
  const env = { PUBLIC_URL: 'https://api.example.com', MAIL_DIR: mailDir, CONFIRM_SIGN_UPS: 'false' };
  [gateway, other] = await Promise.all([world.gateway({ clock, env }), world.gateway({ clock, env })]);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(mailDir, { recursive: true });
});

/** A browser whose account has the second factor. */
async function withFactor() {
  const browser = await signedUp(gateway);
  return { browser, ...(await switchOn(browser, phone)) };
}

const needsCode = (message: string) => ({
  status: 401,
  body: { error: { code: 'SECOND_FACTOR_REQUIRED', details: [{ field: 'code', message }] } },
});
const usedUp = needsCode('is wrong, or was used already');

describe('with a second factor', () => {
  it('the right password alone signs nobody in, a code does, and a wrong password gets no hint of the factor', async () => {
    const { browser, seed, uri } = await withFactor();
    expect(uri).toContain(`secret=${seed}`);
    const fresh = new Browser(other);
    expect(await signIn(fresh, browser.email)).toMatchObject(needsCode('is required'));
    expect(fresh.token).toBeUndefined();
    const body = { email: browser.email, password: 'wrong', code: phone.next(seed) };
    const wrong = await fresh.send('POST', '/account/session', body);
    expect(wrong).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
    expect((await signIn(fresh, browser.email, phone.next(seed))).status).toBe(200);
    expect((await fresh.send('GET', '/account')).status).toBe(200);
  });

  it('a code is taken once, and an older one never after it', async () => {
    const { browser, seed, code } = await withFactor();
    expect(await signIn(new Browser(other), browser.email, code)).toMatchObject(usedUp);
    const next = phone.next(seed);
    expect((await signIn(new Browser(gateway), browser.email, next)).status).toBe(200);
    expect(await signIn(new Browser(other), browser.email, next)).toMatchObject(usedUp);
    // Of the step before, which is still within the window.
    expect(await signIn(new Browser(gateway), browser.email, phone.at(seed, -1))).toMatchObject(usedUp);
  });

  it('codes of more than a step before or after are wrong', async () => {
    const { browser, seed } = await withFactor();
    phone.next(seed);
    phone.next(seed);
    for (const steps of [-3, 3]) {
      const code = phone.at(seed, steps);
      expect(await signIn(new Browser(gateway), browser.email, code)).toMatchObject(usedUp);
    }
  });

  it('of sign-ins at once with one code, one gets in', async () => {
    const { browser, seed, codes } = await withFactor();
    for (const code of [phone.next(seed), codes[0] ?? '']) {
      const answers = await Promise.all(
        [gateway, other, gateway, other].map((at) => signIn(new Browser(at), browser.email, code)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    }
  });

  it('a recovery code signs in once, as people type it', async () => {
    const { browser, codes } = await withFactor();
    const [first = '', second = ''] = codes;
    expect(new Set(codes).size).toBe(10);
    expect((await signIn(new Browser(gateway), browser.email, first)).status).toBe(200);
    expect(await signIn(new Browser(other), browser.email, first)).toMatchObject(usedUp);
    const typed = ` ${second.toLowerCase().replaceAll('-', ' ')}`;
    expect((await signIn(new Browser(gateway), browser.email, typed)).status).toBe(200);
    const { data } = (await browser.send('GET', '/account/factors')).body;
    expect(data).toMatchObject({ totp: { recovery_codes_left: 8 } });
  });

  it('a recovery code whose use fails is given back, unless the codes have changed since', async () => {
    const own = await World.start();
    world.defer(() => own[Symbol.asyncDispose]());
    const at = await own.gateway({ clock: phone.clock });
    const browser = await signedUp(at);
    const { codes } = await switchOn(browser, phone);
    const [first = '', second = ''] = codes;
    // The log does not take the entry of the deletion.
    const entries = own.models.audit.collection;
    const { insertedId } = await entries.insertOne({ account: browser.id, action: 'account.deleted' });
    await entries.createIndex({ account: 1, action: 1 }, { unique: true });
    const remove = () => browser.send('DELETE', '/account', { ...password, code: first });
    expect((await remove()).status).toBeGreaterThanOrEqual(500);
    await entries.deleteOne({ _id: insertedId });
    const store = new MongoSecondFactors(own.models, sealer(sealKeys.parse(own.sealKeys)), phone.clock);
    const used = await store.use(browser.id, second);
    expect(used?.recovery?.left).toBe(9);
    await store.replaceRecoveryCodes(browser.id, codes.slice(0, 1));
    expect(await used?.recovery?.giveBack()).toBe(false);
    expect(await store.use(browser.id, second)).toBeUndefined();
    expect((await remove()).status).toBe(204);
  });

  it('new recovery codes end the older ones', async () => {
    const { browser, seed, codes } = await withFactor();
    const body = { ...password, code: phone.next(seed) };
    const made = await browser.send('POST', '/account/totp/recovery-codes', body);
    const [fresh = ''] = (made.body.data?.recovery_codes ?? []) as string[];
    expect(await signIn(new Browser(gateway), browser.email, codes[0])).toMatchObject(usedUp);
    expect((await signIn(new Browser(gateway), browser.email, fresh)).status).toBe(200);
  });

  it('it is switched off by password and code together, and then the password alone signs in', async () => {
    const { browser, seed } = await withFactor();
    const end = (given: object) => browser.send('DELETE', '/account/totp', given);
    const wrong = { current_password: 'wrong', code: phone.next(seed) };
    expect((await end(wrong)).body.error?.details).toMatchObject([{ field: 'current_password' }]);
    const replayed = await end({ ...password, code: phone.at(seed, -9) });
    expect(replayed.body.error?.details).toMatchObject([{ field: 'code' }]);
    expect((await end({ ...password, code: phone.next(seed) })).status).toBe(204);
    expect((await signIn(new Browser(gateway), browser.email)).status).toBe(200);
    expect((await end({ ...password, code: '123456' })).status).toBe(409);
  });

  it('strangers with the password who guess codes do not lock out a device that has signed in with it', async () => {
    const browser = await signedUp(gateway);
    // Known by its password alone: anybody with the password could have such a device.
    const early = Object.assign(new Browser(gateway), { device: browser.device });
    const { seed } = await switchOn(browser, phone);
    const device = new Browser(gateway);
    expect((await signIn(device, browser.email, phone.next(seed))).status).toBe(200);
    await useUp(wrongCodeByAccount, browser.id);
    const stranger = await signIn(new Browser(other), browser.email, phone.next(seed));
    expect(stranger.status).toBe(429);
    expect((await signIn(early, browser.email, phone.next(seed))).status).toBe(429);
    expect((await signIn(device, browser.email, phone.next(seed))).status).toBe(200);
    const end = { ...password, code: phone.next(seed) };
    expect((await device.send('DELETE', '/account', end)).status).toBe(204);
  });

  it('strangers with the password who guess codes do not lock out the browser that has switched it on', async () => {
    const browser = await signedUp(gateway);
    const { seed } = await switchOn(browser, phone);
    await useUp(wrongCodeByAccount, browser.id);
    expect((await signIn(new Browser(other), browser.email, phone.next(seed))).status).toBe(429);
    expect((await signIn(browser, browser.email, phone.next(seed))).status).toBe(200);
  });

  it('strangers with the password and no code do not lock out a device that has signed in with it, nor a session', async () => {
    const browser = await signedUp(gateway);
    const early = Object.assign(new Browser(gateway), { device: browser.device });
    const { seed } = await switchOn(browser, phone);
    expect((await signIn(browser, browser.email, phone.next(seed))).status).toBe(200);
    for (const stranger of [early, new Browser(other)]) {
      expect(await signIn(stranger, browser.email)).toMatchObject(needsCode('is required'));
    }
    // These two; the browser is known since it has switched the factor on.
    await useUp(signedInByOthers, browser.id, signedInByOthers.limit - 2);
    expect((await signIn(new Browser(gateway), browser.email, phone.next(seed))).status).toBe(429);
    expect((await signIn(early, browser.email, phone.next(seed))).status).toBe(429);
    expect((await signIn(browser, browser.email, phone.next(seed))).status).toBe(200);
    const body = { ...password, new_password: 'a wholly different one', code: phone.next(seed) };
    expect((await browser.send('POST', '/account/password', body)).status).toBe(200);
  });

  it('a session alone with the password changes neither password nor address, adds no passkey, and deletes nothing', async () => {
    const { browser, seed } = await withFactor();
    const asked = [
      ['POST', '/account/password', { ...password, new_password: 'a wholly different one' }],
      ['POST', '/account/email', { ...password, email: freshEmail() }],
      ['POST', '/account/passkeys/options', password],
      ['DELETE', '/account', password],
    ] as const;
    for (const [method, path, body] of asked) {
      const answers = [body, { ...body, code: 'never one' }].map((each) => browser.send(method, path, each));
      const [without, wrong] = await Promise.all(answers);
      expect([path, without]).toMatchObject([path, needsCode('is required')]);
      expect([path, wrong]).toMatchObject([path, usedUp]);
    }
    for (const [method, path, body] of asked.slice(1)) {
      const answer = await browser.send(method, path, { ...body, code: phone.next(seed) });
      expect([path, answer.status < 300]).toEqual([path, true]);
    }
  });

  it('wrong codes are limited by account, by day and by device, and right ones are not', async () => {
    const { browser, seed } = await withFactor();
    for (let tries = 0; tries < 12; tries += 1) {
      expect((await signIn(new Browser(gateway), browser.email, phone.next(seed))).status).toBe(200);
    }
    for (let tries = 0; tries < wrongCodeByAccount.limit; tries += 1) {
      expect(await signIn(new Browser(gateway), browser.email, 'never one')).toMatchObject(usedUp);
    }
    expect((await signIn(new Browser(other), browser.email, phone.next(seed))).status).toBe(429);
    const another = await withFactor();
    await useUp(wrongCodeByAccountAndDay, another.browser.id);
    const late = await signIn(new Browser(gateway), another.browser.email, phone.next(another.seed));
    expect(late.status).toBe(429);
    const third = await withFactor();
    for (let tries = 0; tries < wrongCodeByDevice.limit; tries += 1) {
      const body = { ...password, code: 'never one' };
      expect((await third.browser.send('DELETE', '/account/totp', body)).status).toBe(400);
    }
    const body = { ...password, code: phone.next(third.seed) };
    expect((await third.browser.send('DELETE', '/account/totp', body)).status).toBe(429);
  }, 60_000);
});

describe('a second factor', () => {
  it('begins with the password, and is on only when its first code is confirmed', async () => {
    const browser = await signedUp(gateway);
    const wrong = await browser.send('POST', '/account/totp', { current_password: 'wrong' });
    expect(wrong.body.error?.details).toMatchObject([{ field: 'current_password' }]);
    const confirm = (code: string) => browser.send('POST', '/account/totp/confirm', { code });
    expect((await confirm('123456')).status).toBe(409);
    const first = String((await browser.send('POST', '/account/totp', password)).body.data?.secret);
    const seed = String((await browser.send('POST', '/account/totp', password)).body.data?.secret);
    expect((await confirm(phone.next(first))).body.error?.details).toMatchObject([{ field: 'code' }]);
    expect((await signIn(new Browser(gateway), browser.email)).status).toBe(200);
    expect((await browser.send('GET', '/account/factors')).body.data).toMatchObject({ totp: null });
    expect((await confirm(phone.next(seed))).status).toBe(200);
    expect((await browser.send('GET', '/account/factors')).body.data).toMatchObject({
      totp: { recovery_codes_left: 10 },
    });
    expect((await browser.send('POST', '/account/totp', password)).status).toBe(409);
    expect(await signIn(new Browser(gateway), browser.email)).toMatchObject(needsCode('is required'));
  });

  it('of another account is no help: its codes and its recovery codes are wrong', async () => {
    const { browser } = await withFactor();
    const foreign = await withFactor();
    for (const code of [phone.next(foreign.seed), foreign.codes[0]]) {
      expect(await signIn(new Browser(gateway), browser.email, code)).toMatchObject(usedUp);
    }
  });

  it('is reset by a command for a holder who has lost everything, and the log of operators says so', async () => {
    const { browser } = await withFactor();
    const reset = (id: string) => world.command(['factors', 'reset', id, '--json']);
    expect((await reset(browser.email)).data).toMatchObject({ id: browser.id, reset: true });
    expect((await signIn(new Browser(gateway), browser.email)).status).toBe(200);
    expect((await reset(browser.id)).data).toMatchObject({ reset: false });
    const logged = await world.models.operatorLog.find({ account: browser.id }).lean();
    expect(logged.map(({ action }) => action)).toEqual(['factors.reset']);
  });

  it('is removed with its account', async () => {
    const { browser } = await withFactor();
    await world.command(['account', 'delete', browser.id, '--email', browser.email]);
    await expect
      .poll(() => world.models.secondFactors.findById(browser.id).lean(), { timeout: 30_000 })
      .toBeNull();
  });
});

describe('the holder of an account', () => {
  it('finds the second factor and ended sessions in the audit log', async () => {
    const { browser, seed, codes } = await withFactor();
    await browser.send('POST', '/account/totp/recovery-codes', { ...password, code: codes[0] });
    await browser.send('DELETE', '/account/totp', { ...password, code: phone.next(seed) });
    await signIn(new Browser(gateway), browser.email);
    await browser.send('DELETE', '/account/sessions');
    const { data } = (await browser.send('GET', '/account/audit')).body;
    const actions = (data as unknown as { action: string }[]).map(({ action }) => action);
    expect(actions).toEqual([
      'session.ended',
      'session.started',
      'totp.off',
      'totp.codes_replaced',
      'totp.recovery_code_used',
      'totp.on',
      'session.started',
      'account.created',
    ]);
  });
});

describe('seeds at rest', () => {
  it('are sealed again by the newest key while gateways go on, and codes stay right', async () => {
    const { browser, seed } = await withFactor();
    const begun = await signedUp(gateway);
    await begun.send('POST', '/account/totp', password);
    const both = `${world.sealKeys}\n${newSealKey(2)}`;
    const turning = await world.gateway({ clock: phone.clock, env: { GATEWAY_SEAL_KEYS: both } });
    const resealed = await world.command(['secrets', 'reseal', '--json'], { GATEWAY_SEAL_KEYS: both });
    expect(resealed).toMatchObject({ status: 0 });
    expect(Number(resealed.data.resealed)).toBeGreaterThanOrEqual(2);
    const keys = sealer(sealKeys.parse(both));
    const stored = await world.models.secondFactors.findById(browser.id).lean();
    expect(stored?.seed?.startsWith(keys.newestPrefix)).toBe(true);
    expect((await signIn(new Browser(turning), browser.email, phone.next(seed))).status).toBe(200);
    await expect(resealSeeds(world.models, keys)).resolves.toBe(0);
    // A gateway without the newest key would lock these accounts out.
    await expect(world.gateway()).rejects.toThrow(/no key of GATEWAY_SEAL_KEYS opens/);
    const back = sealer(sealKeys.parse(`${both}\n3:${world.sealKeys.slice(2)}`));
    await resealSeeds(world.models, back);
    await world.models.secondFactors.deleteMany({});
  });
});

describe('a session', () => {
  it('is listed with its device and address, the current one marked, and is ended from another one', async () => {
    const browser = await signedUp(gateway);
    const phoneBrowser = new Browser(other);
    const agent = { 'user-agent': `Phone ${'x'.repeat(300)}` };
    const body = { email: browser.email, password: goodPassword };
    expect((await phoneBrowser.send('POST', '/account/session', body, agent)).status).toBe(200);
    const listed = (await browser.send('GET', '/account/sessions')).body.data as unknown as {
      id: string;
      current: boolean;
      address: string;
      user_agent: string;
    }[];
    expect(listed.map(({ current, address }) => [current, address])).toEqual([
      [false, phoneBrowser.address],
      [true, browser.address],
    ]);
    expect(listed[0]?.user_agent).toHaveLength(200);
    const foreign = await signedUp(gateway);
    const path = `/account/sessions/${listed[0]?.id}`;
    expect((await foreign.send('DELETE', path)).status).toBe(404);
    expect((await phoneBrowser.send('GET', '/account')).status).toBe(200);
    expect((await browser.send('DELETE', path)).status).toBe(204);
    expect((await phoneBrowser.send('GET', '/account')).status).toBe(401);
    expect((await phoneBrowser.send('POST', '/account/session/refresh')).status).toBe(401);
    expect((await browser.send('DELETE', path)).status).toBe(404);
  });

  it('that is renewed says from where', async () => {
    const browser = await signedUp(gateway);
    const elsewhere = { 'x-forwarded-for': '2001:db8::7', 'user-agent': 'Another/1.0' };
    await browser.send('POST', '/account/session/refresh', undefined, elsewhere);
    expect((await browser.send('GET', '/account/sessions')).body.data).toMatchObject([
      { current: true, address: '2001:db8::7', user_agent: 'Another/1.0' },
    ]);
  });

  it('signs out all others and stays itself', async () => {
    const browser = await signedUp(gateway);
    const others = [new Browser(gateway), new Browser(other)];
    for (const one of others) await signIn(one, browser.email);
    const ended = await browser.send('DELETE', '/account/sessions');
    expect(ended.body.data).toEqual({ ended: 2 });
    for (const one of others) expect((await one.send('GET', '/account')).status).toBe(401);
    expect((await browser.send('GET', '/account/sessions')).body.data).toHaveLength(1);
  });
});

describe('routes that read a cookie', () => {
  const foreign = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ];

  it.each([
    ['POST', '/account/session'],
    ['POST', '/account/session/refresh'],
    ['DELETE', '/account/session'],
  ])(
    'are refused when another site asks, by Sec-Fetch-Site or else by Origin: %s %s',
    async (method, path) => {
      const browser = await signedUp(gateway);
      const body =
        path === '/account/session' && method === 'POST'
          ? { email: browser.email, password: goodPassword }
          : undefined;
      for (const headers of foreign) {
        const answer = await browser.send(method, path, body, headers);
        expect([headers, answer.status, answer.body.error?.code]).toEqual([headers, 403, 'FORBIDDEN']);
        expect(answer.headers.getSetCookie()).toEqual([]);
      }
      const { host } = new URL(gateway);
      const own = await browser.send(method, path, body, { origin: `http://${host}` });
      expect(own.status).toBeLessThan(300);
    },
  );

  it('give cookies that browsers send to no other site and no other path', async () => {
    const browser = await signedUp(gateway);
    const { headers } = await signIn(browser, browser.email);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /sigcast_refresh=.*; Path=\/account\/session; .*HttpOnly; SameSite=Strict; Secure$/,
      ),
      expect.stringMatching(/sigcast_device=.*; Path=\/account; .*HttpOnly; SameSite=Strict; Secure$/),
    ]);
  });
});

/** Makes as many attempts as a rule allows. */
async function useUp(rule: ThrottleRule, subject: string, tries = rule.limit): Promise<void> {
  const throttle = new Throttle(await world.sharedCounters(), Date.now);
  await Promise.all(Array.from({ length: tries }, () => throttle.charge(rule, subject)));
}
