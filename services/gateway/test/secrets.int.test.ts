import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@sigcast/runtime';
import { Browser, goodPassword, signedUp } from './account-harness.ts';
import { ask, World } from './harness.ts';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => world[Symbol.asyncDispose]());

describe('logs', () => {
  it('never hold a password, a key, a token, a cookie or a signing key, at any level', async () => {
    const lines: string[] = [];
    const log = createLogger({
      service: 'gateway',
      level: 'trace',
      destination: { write: (line) => lines.push(line) },
    });
    const gateway = await world.gateway({ log });
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
    for (const secret of secrets) {
      expect(secret?.length).toBeGreaterThan(10);
      expect(written).not.toContain(secret);
    }
    expect(written).not.toContain('PRIVATE KEY');
  });
});
