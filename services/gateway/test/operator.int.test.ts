import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identitySigner, identityVerifier } from '@sigcast/http';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passwordMatches } from '../src/domain/password.ts';
import { Browser, goodPassword, keyOf, signedUp } from './account-harness.ts';
import { ask } from './ask.ts';
import { World } from './harness.ts';

let world: World;
let gateway: string;
let dir: string;

beforeAll(async () => {
  world = await World.start();
  gateway = await world.gateway();
  dir = await mkdtemp(join(tmpdir(), 'sigcast-operator-'));
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

const operator = (args: readonly string[], settings: Record<string, string> = {}) =>
  world.command(args, settings);
const json = (args: readonly string[], settings: Record<string, string> = {}) =>
  world.command([...args, '--json'], settings);

it('the operator program lists its commands, and --help describes one, without the settings of the stores', async () => {
  for (const args of [[], ['--help']]) {
    const all = await operator(args, { MONGODB_URI: '', REDIS_URL: '' });
    expect(all).toMatchObject({ status: 0, err: '', out: expect.stringContaining('plan set NAME') });
  }
  const one = await operator(['plan', 'set', '--help']);
  expect(one).toMatchObject({
    status: 0,
    err: '',
    out: expect.stringMatching(
      /^Usage: plan set NAME --per-minute NUMBER --per-day NUMBER \[--webhooks NUMBER\] \[--streams NUMBER\]\n\nCreates a plan/,
    ),
  });
  const group = await operator(['account']);
  expect(group).toMatchObject({ status: 2, err: expect.stringContaining('account create --email EMAIL') });
  expect(group.err).not.toContain('plan set');
});

describe('an API key', () => {
  it('is made by account create and key create, and refused immediately after key revoke', async () => {
    const account = await json(['account', 'create', '--email', 'First@Example.test']);
    expect(account).toMatchObject({
      status: 0,
      data: { email: 'first@example.test', plan: 'standard', created: true },
    });
    const key = await json(['key', 'create', '--account', 'first@example.test', '--name', 'laptop']);
    expect(key.status).toBe(0);
    const text = String(key.data.key);
    const answer = await ask(gateway, '/v1/signals', { key: text });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('60');

    const list = await operator(['key', 'list', '--account', String(account.data.id)]);
    expect(list.out).toContain('laptop');
    expect(list.out).not.toContain(text.slice(30, 60));

    const revoked = await json(['key', 'revoke', String(key.data.id).slice(0, 12)]);
    expect(revoked).toMatchObject({ status: 0, data: { propagated: true } });
    expect((await ask(gateway, '/v1/signals', { key: text })).status).toBe(401);
  });

  it('expires after a year, or as --expires says', async () => {
    await json(['account', 'create', '--email', 'life@example.test']);
    const days = async (...expires: string[]) => {
      const { data } = await json([
        'key',
        'create',
        '--account',
        'life@example.test',
        '--name',
        'x',
        ...expires,
      ]);
      return data.expires_at === null
        ? null
        : Math.round((Date.parse(String(data.expires_at)) - Date.now()) / 86_400_000);
    };
    expect(await days()).toBe(365);
    expect(await days('--expires', '30')).toBe(30);
    expect(await days('--expires', 'never')).toBeNull();
  });
});

describe('accounts', () => {
  it('have different e-mail addresses; --if-missing shows the account that exists', async () => {
    const created = await json(['account', 'create', '--email', 'once@example.test']);
    const again = await json(['account', 'create', '--email', ' ONCE@example.test']);
    expect(again).toMatchObject({ status: 1, data: { error: { code: 'account_exists' } } });
    const shown = await json(['account', 'create', '--email', 'once@example.test', '--if-missing']);
    expect(shown).toMatchObject({ status: 0, data: { id: created.data.id, created: false } });
  });

  it('created three times at the same time are created once', async () => {
    const args = ['account', 'create', '--email', 'race@example.test'];
    const statuses = (await Promise.all([json(args), json(args), json(args)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([0, 1, 1]);
  });

  it('have their password stored as a hash only', async () => {
    const { data } = await json(['account', 'create', '--email', 'secret@example.test']);
    const stored = await world.models.accounts.findById(data.id).lean();
    expect(await passwordMatches(String(data.password), stored?.password_hash ?? '')).toBe(true);
    const file = join(dir, 'password');
    await writeFile(file, 'too short\n');
    const refused = await json(['account', 'create', '--email', 'x@example.test', '--password-file', file]);
    expect(refused).toMatchObject({ status: 1, data: { error: { code: 'password_refused' } } });
    await writeFile(file, 'long enough, this one\n');
    const accepted = await json(['account', 'create', '--email', 'x@example.test', '--password-file', file]);
    expect(accepted.data).not.toHaveProperty('password');
    const hash = (await world.models.accounts.findById(accepted.data.id).lean())?.password_hash ?? '';
    expect(await passwordMatches('long enough, this one', hash)).toBe(true);
  });

  it('get a new password by account password, which ends their sessions, revokes their keys and pauses their webhooks', async () => {
    const browser = await signedUp(gateway);
    const { email } = browser;
    const key = await keyOf(browser);
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
    const { data } = await json(['account', 'password', email]);
    expect(data).toMatchObject({ revoked_keys: 1 });
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(401);
    expect(await world.models.accounts.findById(browser.id).lean()).toMatchObject({
      access_revoked_at: expect.any(Date),
      noticed: expect.any(Boolean),
    });
    expect((await browser.send('POST', '/account/session/refresh')).status).toBe(401);
    const signIn = (password: string) =>
      new Browser(gateway).send('POST', '/account/session', { email, password });
    expect((await signIn(goodPassword)).status).toBe(401);
    expect((await signIn(String(data.password))).status).toBe(200);
    expect(await json(['account', 'password', 'nobody@example.test'])).toMatchObject({
      status: 1,
      data: { error: { code: 'account_not_found' } },
    });
  });

  it('are suspended from the next request on, resumed soon after the command, and moved to another plan', async () => {
    const { account, key } = await world.customer();
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
    await operator(['account', 'suspend', account]);
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(403);
    await operator(['account', 'resume', account]);
    await eventually(async () => expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200));
    await operator(['plan', 'set', 'gold', '--per-minute', '600', '--per-day', '100000']);
    expect((await operator(['account', 'plan', account, 'gold'])).status).toBe(0);
    const answer = await ask(gateway, '/v1/signals', { key });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('600');
  });
});

describe('service tokens', () => {
  it('are signed with the generated key pair, which is never overwritten', async () => {
    const keys = join(dir, 'keys');
    expect((await operator(['keys', 'generate', '--out', keys])).status).toBe(0);
    expect((await readdir(keys)).sort()).toEqual([
      'gateway-identity.private.pem',
      'gateway-identity.public.pem',
      'gateway-seal.keys',
      'log-signing.private.pem',
      'log-signing.public.pem',
      'operator.private.pem',
      'operator.public.pem',
      'webhook-seal.keys',
    ]);
    const file = join(keys, 'operator.private.pem');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const before = await readFile(file, 'utf8');
    expect(await json(['keys', 'generate', '--out', keys])).toMatchObject({
      status: 1,
      data: { error: { code: 'key_exists' } },
    });
    expect((await operator(['keys', 'generate', '--out', keys, '--if-missing'])).status).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(before);

    const args = ['token', 'create', '--subject', 'market', '--scope', 'signals:write'];
    const { data } = await json(args, { OPERATOR_PRIVATE_KEY: before });
    const verify = identityVerifier(
      'operator',
      await readFile(join(keys, 'operator.public.pem'), 'utf8'),
      'signals',
    );
    expect(verify(String(data.token))).toEqual({
      expiresAt: new Date(String(data.expires_at)),
      issuer: 'operator',
      subject: 'market',
      scopes: ['signals:write'],
      tokenId: data.id,
    });
    const reader = ['token', 'create', '--subject', 'rebuild', '--scope', 'signals:read'];
    const read = await json(reader, { OPERATOR_PRIVATE_KEY: before });
    expect(verify(String(read.data.token)).scopes).toEqual(['signals:read']);
    const identity = await readFile(join(keys, 'gateway-identity.private.pem'), 'utf8');
    expect(() => identitySigner('gateway', identity, 'signals')).not.toThrow();
  });
});

describe('a command that fails', () => {
  it.each([
    [['account', 'create'], 2, 'usage'],
    [['account', 'create', '--email', 'nobody'], 2, 'usage'],
    [['account', 'create', '--email', 'a@b.test', '--colour', 'red'], 2, 'usage'],
    [['account', 'suspend', 'acct_none'], 1, 'account_not_found'],
    [['account', 'create', '--email', 'p@b.test', '--plan', 'nowhere'], 1, 'plan_not_found'],
    [['plan', 'set', 'x', '--per-minute', '0', '--per-day', '1'], 2, 'usage'],
    [['key', 'create', '--account', 'none@b.test', '--name', 'x'], 1, 'account_not_found'],
    [['key', 'create', '--account', 'none@b.test', '--name', 'x', '--expires', '7'], 2, 'usage'],
    [['key', 'revoke', 'ffffffffffff'], 1, 'key_not_found'],
    [['key', 'revoke', 'short'], 2, 'usage'],
    [['token', 'create', '--subject', 'x', '--scope', 'all'], 2, 'usage'],
    [['toString', 'constructor'], 2, 'usage'],
  ])('exits for %j with status %i and code %s', async (args, status, code) => {
    const result = await json(args);
    expect({ status: result.status, code: result.data.error?.code }).toEqual({ status, code });
    expect(result.data.error?.message).not.toMatch(/\bat .*\.ts:/);
    const { out, err } = await operator(args);
    expect(out).toBe('');
    expect(err).not.toBe('');
  });
});
