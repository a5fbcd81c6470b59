import { sampleOf, webhookSchema } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mongoMembers } from '../src/store/members.ts';
import { mongoPasskeys } from '../src/store/passkeys.ts';
import { Browser, freshEmail, goodPassword, keyOf, signedUp } from './account-harness.ts';
import { ask } from './ask.ts';
import { dumpStores } from './dump-stores.ts';
import { Phone, switchOn } from './factor-harness.ts';
import { World } from './harness.ts';
import { mailTo } from './mail-links.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { okAnswer } from './scripted-upstream.ts';

let world: World;
let server: MailServer;
let gateway: string;

beforeAll(async () => {
  server = await startMailServer();
  world = await World.start();
  gateway = await world.gateway({
    env: {
      SMTP_URL: server.url,
      PUBLIC_URL: 'http://api.example.com',
      MAIL_FROM: 'mail@example.com',
      CONFIRM_SIGN_UPS: 'false',
    },
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const soon = { timeoutMs: 30_000 };

async function verified() {
  const holder = await signedUp(gateway);
  await world.accounts.verify(holder.id);
  return holder;
}

/** Waits until an account's usage is written. */
const usageOf = (id: string) =>
  eventually(
    async () =>
      expect(await world.models.usage.exists({ _id: { $gte: `${id}:`, $lt: `${id};` } })).not.toBeNull(),
    soon,
  );

const remove = (holder: Browser, password = goodPassword) =>
  holder.send('DELETE', '/account', { current_password: password });

describe('an account', () => {
  it('is exported with all that is stored about it, and says what could not be read', async () => {
    const holder = await verified();
    const key = await keyOf(holder);
    world.upstream.answer = (req, res) => {
      const isList = req.url?.startsWith('/v1/webhooks?limit=100') === true;
      if (!isList) return okAnswer(req, res);
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify({ success: true, data: [sampleOf(webhookSchema)] }));
    };
    await ask(gateway, '/v1/signals', { key });
    await usageOf(holder.id);
    const logged = () => world.models.requests.countDocuments({ account: holder.id });
    await eventually(async () => expect(await logged()).toBe(1), soon);
    const { seed, codes } = await switchOn(holder, new Phone());
    const person = await signedUp(gateway);
    const invitation = { account: holder.id, role: 'viewer', email: person.email } as const;
    const members = mongoMembers(world.models, Date.now);
    await members.accept((await members.invite(invitation)).id, person.id);
    await members.invite({ ...invitation, email: freshEmail() });
    const passkey = { credentialId: 'id', publicKey: Buffer.from('key'), counter: 0, transports: [] };
    await mongoPasskeys(world.models, Date.now).add(holder.id, 'Laptop', passkey);
    const { status, body } = await holder.send('GET', '/account/export');
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      account: { id: holder.id, email: holder.email },
      mail: { available: true, webhooks: true },
      keys: [{ name: 'mine' }],
      totp: { recovery_codes_left: 10 },
      passkeys: [{ name: 'Laptop' }],
      members: [{ email: holder.email }, { email: person.email, role: 'viewer' }],
      invitations: [{ role: 'viewer' }],
      requests: [{ route: '/v1/signals', status: 200 }],
      webhooks: [sampleOf(webhookSchema)],
    });
    for (const secret of [key, seed, codes[0] ?? '', 'public_key', 'credential']) {
      expect([secret, JSON.stringify(body.data).includes(secret)]).toEqual([secret, false]);
    }
    const { usage, audit } = body.data as { usage: { requests: number }[]; audit: { action: string }[] };
    expect(usage).toHaveLength(90);
    expect(usage.at(-1)?.requests).toBe(1);
    expect(audit.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['account.exported', 'key.created', 'account.created']),
    );
    world.upstream.answer = (req) => req.socket.destroy();
    expect((await holder.send('GET', '/account/export')).body.data).toMatchObject({ webhooks: null });
    world.upstream.answer = okAnswer;
  });

  it('is deleted by its password: everything ends at once, a last mail comes, and no store has anything of it', async () => {
    const holder = await verified();
    const key = await keyOf(holder);
    await ask(gateway, '/v1/signals', { key });
    const next = freshEmail();
    await holder.send('POST', '/account/email', { email: next, current_password: goodPassword });
    await usageOf(holder.id);
    const refused = await remove(holder, 'not the password');
    expect(refused.body.error?.details?.[0]?.field).toBe('current_password');
    expect((await remove(holder)).status).toBe(204);
    expect((await holder.send('GET', '/account')).status).toBe(401);
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(401);
    const again = { email: holder.email, password: goodPassword };
    expect((await new Browser(gateway).send('POST', '/account/session', again)).status).toBe(401);
    await mailTo(server, { to: holder.email, subject: 'Your account is deleted' });
    await eventually(async () => {
      const { documents, redis } = await dumpStores(world);
      // Only the id stays, so that its deletion can be published again.
      for (const value of [holder.email, next, key, key.slice(-4)]) {
        expect([value, (documents + redis).includes(value)]).toEqual([value, false]);
      }
      // In Redis attempts of the address are counted, whoever made them.
      expect(documents).not.toContain(holder.address);
    }, soon);
    expect(await world.models.accounts.findById(holder.id).lean()).toMatchObject({ status: 'deleted' });
    expect((await new Browser(gateway).send('POST', '/account', again)).status).toBe(201);
  });
});

it('no store has a password, a token of a link or of a session, while mails wait and after', async () => {
  const holder = await verified();
  server.onRecipient = () => 451;
  await new Browser(gateway).send('POST', '/account/password/reset-request', { email: holder.email });
  const email = freshEmail();
  await holder.send('POST', '/account/email', { email, current_password: goodPassword });
  await eventually(() => expect(server.asked).toEqual(expect.arrayContaining([holder.email, email])), soon);
  const { documents, redis } = await dumpStores(world);
  const stored = documents + redis;
  expect(stored).toContain(`"to":"${holder.email}"`);
  for (const secret of [goodPassword, 'eyJ', holder.token, holder.cookie?.split('.').at(-1)]) {
    expect(secret?.length).toBeGreaterThan(2);
    expect([secret, stored.includes(secret ?? '')]).toEqual([secret, false]);
  }
  server.onRecipient = () => undefined;
});

describe('operators', () => {
  it('list accounts by address, state and plan, and show one with its keys', async () => {
    const [one, other] = [await verified(), await signedUp(gateway)];
    await keyOf(one);
    const list = async (...args: string[]) => {
      const { data } = await world.command(['account', 'list', ...args, '--json']);
      return (data as { accounts: { email: string }[] }).accounts.map(({ email }) => email);
    };
    expect((await list()).slice(0, 2)).toEqual([other.email, one.email]);
    expect(await list('--limit', '1')).toEqual([other.email]);
    expect(await list('--limit', '1', '--after', other.id)).toEqual([one.email]);
    expect(await list('--email', one.email.slice(0, -5))).toEqual([one.email]);
    const unverified = await list('--verification', 'not-asked');
    expect([unverified.includes(other.email), unverified.includes(one.email)]).toEqual([true, false]);
    await world.command(['account', 'suspend', other.id]);
    expect(await list('--status', 'suspended')).toEqual([other.email]);
    expect(await list('--plan', 'none')).toEqual([]);
    const shown = await world.command(['account', 'show', one.email.toUpperCase(), '--json']);
    expect(shown.data).toMatchObject({
      id: one.id,
      verification: 'verified',
      live_keys: 1,
      keys: [{ name: 'mine', revoked_at: null }],
    });
    const text = (await world.command(['account', 'show', one.id])).out;
    expect(text).toContain('(confirmed) active, plan standard');
    expect(await world.command(['account', 'show', 'nobody@example.test'])).toMatchObject({ status: 1 });
  });
});
