import { createLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { Secret } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey, keyIdOf } from '../src/domain/api-key.ts';
import { Browser, freshEmail, goodPassword, signedUp } from './account-harness.ts';
import { ask } from './ask.ts';
import { dumpStores } from './dump-stores.ts';
import { Phone, password, signIn, switchOn } from './factor-harness.ts';
import { World } from './harness.ts';
import { linkIn, mailTo } from './mail-links.ts';
import { startMailServer } from './mail-server.ts';
import { okAnswer } from './scripted-upstream.ts';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => world[Symbol.asyncDispose]());

describe('logs', () => {
  it('never contain a password, a key, a token, a cookie or a signing key, at any level', async () => {
    const lines: string[] = [];
    const log = createLogger({
      service: 'gateway',
      level: 'trace',
      destination: { write: (line) => lines.push(line) },
    });
    const gateway = await world.gateway({ log, env: { ACCESS_LOG_SHARE: '1' } });
    const browser = await signedUp(gateway);
    const { email } = browser;
    const made = await browser.send('POST', '/account/keys', { name: 'server' });
    const key = String(made.body.data?.key);
    const secrets = [
      goodPassword,
      key,
      browser.token,
      browser.cookie?.split('.').at(-1),
      'wrong password here',
    ];

    await browser.send('POST', '/account/session/refresh');
    secrets.push(browser.token, browser.cookie?.split('.').at(-1));
    await new Browser(gateway).send('POST', '/account/session', { email, password: 'wrong password here' });
    await browser.send('POST', '/account/keys', { name: key, password: goodPassword });
    await fetch(`${gateway}/account`, { method: 'POST', body: `{"password":"${goodPassword}"` });
    await ask(gateway, '/v1/signals', { key });
    await ask(gateway, '/v1/signals', { key: `${key}x` });
    await ask(gateway, `/v1/signals?limit=${key}`, { key });
    world.upstream.answer = (req) => req.socket.destroy();
    expect((await ask(gateway, '/v1/stats', { key })).status).toBe(503);
    await browser.send('DELETE', `/account/keys/${String(made.body.data?.id)}`);
    await browser.send('DELETE', '/account/session');

    expect(lines.length).toBeGreaterThan(10);
    const written = lines.join('');
    // The id of a key is the start of its hash, which reveals nothing of the key.
    expect(written).toContain(`"key":"${String(made.body.data?.id)}"`);
    for (const secret of secrets) {
      expect(secret?.length).toBeGreaterThan(10);
      expect(written).not.toContain(secret);
    }
    expect(written).not.toContain('PRIVATE KEY');
  });

  it('name account and key of a refusal: over the limit, revoked, expired or suspended, but not of a made-up key', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ service: 'gateway', destination });
    const gateway = await world.gateway({ log, env: { ACCESS_LOG_SHARE: '1' } });
    const over = await world.customer({ perMinute: 1 });
    const revoked = await world.customer();
    const expired = await world.customer({}, new Date(Date.now() - 1_000));
    const suspended = await world.customer();
    world.upstream.answer = okAnswer;
    expect((await ask(gateway, '/v1/signals', { key: over.key })).status).toBe(200);
    await world.keys.revoke(revoked.sha256);
    await world.accounts.setStatus(suspended.account, 'suspended');
    const refusals = [
      [over, 429],
      [revoked, 401],
      [expired, 401],
      [suspended, 403],
    ] as const;
    for (const [{ key }, status] of refusals) {
      // The second request is refused from the cache.
      for (const _ of [1, 2]) expect((await ask(gateway, '/v1/signals', { key })).status).toBe(status);
    }
    const madeUp = createApiKey(over.account).text;
    expect((await ask(gateway, '/v1/signals', { key: madeUp })).status).toBe(401);
    await eventually(() => {
      const told = lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ msg, status }) => msg === 'request' && Number(status) >= 400)
        .map(({ status, account, key }) => [status, account, key].join(' '));
      const expected = refusals.flatMap(([{ account, sha256 }, status]) => {
        const line = `${status} ${account} ${keyIdOf(sha256)}`;
        return [line, line];
      });
      expect(told.sort()).toEqual([...expected, '401  '].sort());
    });
  });
});

describe('the stores', () => {
  it('hold no password, token, seed or recovery code as it is', async () => {
    await using server = await startMailServer();
    const phone = new Phone();
    const gateway = await world.gateway({
      clock: phone.clock,
      env: { SMTP_URL: server.url, PUBLIC_URL: 'http://api.example.com', CONFIRM_SIGN_UPS: 'false' },
    });
    const browser = await signedUp(gateway);
    const { email } = browser;
    const begun = await signedUp(gateway);
    const pending = await begun.send('POST', '/account/totp', password);
    const { seed, code, codes } = await switchOn(browser, phone);
    const made = await browser.send('POST', '/account/keys', { name: 'server' });
    const next = phone.next(seed);
    expect((await signIn(new Browser(gateway), email, next)).status).toBe(200);
    expect((await signIn(new Browser(gateway), email, codes[0])).status).toBe(200);
    await browser.send('POST', '/account/session/refresh');
    const invited = freshEmail();
    await browser.send('POST', '/account/password/reset-request', { email });
    await browser.send('POST', '/account/email/confirm-request');
    await browser.send('POST', '/account/members/invitations', { email: invited, role: 'viewer' });
    const linkOf = async (to: string, subject: string) => linkIn(await mailTo(server, { to, subject })).token;
    const secrets = {
      reset: await linkOf(email, 'Reset your password'),
      confirm: await linkOf(email, 'Confirm your e-mail address'),
      invitation: await linkOf(invited, 'You are invited to an account'),
      password: goodPassword,
      key: made.body.data?.key,
      access: browser.token,
      refresh: browser.cookie?.split('.').at(-1),
      device: browser.device?.split('=').at(-1),
      seed,
      seedBytes: Buffer.from(Secret.fromBase32(seed).bytes).toString('base64'),
      seedHex: Secret.fromBase32(seed).hex,
      begun: pending.body.data?.secret,
      code: `"${code}"`,
      next: `"${next}"`,
      ...Object.fromEntries(
        codes.flatMap((one, at) => [
          [`recovery ${at}`, one],
          [`plain ${at}`, one.replaceAll('-', '')],
        ]),
      ),
    };
    const { documents, redis } = await dumpStores(world);
    const held = documents + redis;
    expect(held).toContain(browser.id);
    for (const [what, secret] of Object.entries(secrets)) {
      expect([what, String(secret).length]).toEqual([what, expect.toSatisfy((n: number) => n > 7)]);
      expect([what, held.includes(String(secret))]).toEqual([what, false]);
    }
  });
});

it('the log of requests holds no key, whatever header it comes in', async () => {
  const gateway = await world.gateway();
  const { account, key } = await world.customer();
  world.upstream.answer = okAnswer;
  await ask(gateway, `/v1/signals?key=${key}`, {
    key,
    headers: { 'user-agent': `bot ${key}`, 'x-request-id': key },
  });
  const stored = await eventually(async () => {
    const found = await world.models.requests.find({ account }).toArray();
    expect(found).toHaveLength(1);
    return JSON.stringify(found);
  });
  expect(stored).toContain('bot sk_***');
  expect(stored).not.toContain(key);
});
