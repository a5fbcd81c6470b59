import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokenAudience } from '@sigcast/contracts';
import { identitySigner, identityVerifier } from '@sigcast/http';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkTokens } from '../src/domain/link-tokens.ts';
import type { MailOutcome } from '../src/domain/mail/sending.ts';
import { Throttle } from '../src/domain/throttle.ts';
import { dayMs } from '../src/domain/usage.ts';
import { type MessageOf, messagesOf } from '../src/mail/message.ts';
import { sendMails } from '../src/mail/send-mails.ts';
import { folderTransport, type Send, smtpTransport } from '../src/mail/transport.ts';
import { mongoMailSettings } from '../src/store/mail-settings.ts';
import { mongoMails } from '../src/store/mails.ts';
import { mongoMembers } from '../src/store/members.ts';
import { World } from './harness.ts';
import { type MailServer, startMailServer } from './mail-server.ts';

let world: World;
let server: MailServer;
beforeAll(async () => {
  world = await World.start();
  server = await startMailServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const from = 'Sigcast <mail@example.com>';
const messageOf: MessageOf = (mail, to) => {
  const signerFor = (audience: TokenAudience) =>
    identitySigner('gateway', world.identityKeys.privateKey, audience);
  const pairOf = (audience: TokenAudience) => ({
    sign: signerFor(audience),
    read: identityVerifier('gateway', world.identityKeys.publicKey, audience),
  });
  return messagesOf({
    publicUrl: 'https://api.example.com',
    signUnsubscribe: signerFor('sigcast-unsubscribe'),
    accounts: world.accounts,
    members: mongoMembers(world.models, Date.now),
    tokens: linkTokens({
      signUp: pairOf('sigcast-sign-up'),
      reset: pairOf('sigcast-reset'),
      confirm: pairOf('sigcast-confirm'),
      invitation: pairOf('sigcast-invitation'),
    }),
  })(mail, to);
};

/** The mails of a world with one account, and processes that send them, by a clock that the test moves. */
async function post(url = server.url) {
  const clock = { ms: Date.now() };
  const now = () => clock.ms;
  const own = await World.start();
  world.defer(() => own[Symbol.asyncDispose]());
  const { account } = await own.customer();
  const email = (await own.models.accounts.findById(account).lean())?.email ?? '';
  const mails = mongoMails(own.models, now);
  const settings = mongoMailSettings(own.models, now);
  const throttle = new Throttle(await own.sharedCounters(), Date.now);
  const outcomes: MailOutcome[] = [];
  let made = 0;
  const start = (send?: Send, written = messageOf) => {
    const resources = new AsyncDisposableStack();
    const transport = smtpTransport(url, { from });
    resources.defer(transport.close);
    const count = (outcome: MailOutcome) => void outcomes.push(outcome);
    const log = silentLogger();
    const deps = { mails, settings, throttle, send: send ?? transport.send, clock: now, count, log };
    const notify = sendMails({ ...deps, messageOf: written }, resources);
    own.defer(() => resources.disposeAsync());
    return { notify, stop: () => resources.disposeAsync() };
  };
  return {
    clock,
    models: own.models,
    account,
    email,
    mails,
    settings,
    outcomes,
    start,
    add: async () => {
      made += 1;
      const id = `keys:key_${made}:7`;
      const expires_at = new Date(clock.ms + 7 * dayMs).toISOString();
      const values = { name: 'Bot', environment: 'test', first: 'x7Kd', last: 'Qz3m', expires_at };
      await mails.add({ id, account, kind: 'keys', values });
      return id;
    },
    stored: (id: string) => own.models.mails.findOne({ _id: id }),
  };
}

const soon = { timeoutMs: 30_000 };

describe('a mail', () => {
  it('is sent once by several processes, and can be answered by unsubscribing with one click', async () => {
    const p = await post();
    const ids = await Promise.all(Array.from({ length: 12 }, p.add));
    for (let n = 0; n < 3; n += 1) p.start();
    await eventually(() => expect(p.outcomes).toHaveLength(12), soon);
    // Whatever was sent a second time has arrived when what came later has.
    const last = await p.add();
    await eventually(async () => expect(await p.stored(last)).toMatchObject({ outcome: 'sent' }), soon);
    expect(server.mailsTo(p.email)).toHaveLength(13);
    expect(p.outcomes).toHaveLength(13);
    expect(await p.stored(ids[0] ?? '')).toMatchObject({ outcome: 'sent', tries: 1 });
    const [mail] = server.mailsTo(p.email);
    expect(mail?.header('From')).toBe(from);
    expect(mail?.header('Subject')).toContain('API key Bot expires');
    expect(mail?.header('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    expect(mail?.header('List-Unsubscribe')).toMatch(
      /^<https:\/\/api\.example\.com\/mail\/unsubscribe\?token=ey[\w.-]+>$/,
    );
    const names = server.mailsTo(p.email).map(({ header }) => header('Message-ID'));
    expect(new Set(names).size).toBe(13);
  });

  it('of a process that dies before it has sent the mail is sent by another one when its lease ends', async () => {
    const p = await post();
    const id = await p.add();
    const now = new Date(p.clock.ms);
    expect(await p.mails.claim(now, new Date(p.clock.ms + 60_000))).toMatchObject({ id });
    const { notify } = p.start();
    const other = await p.add();
    notify();
    await eventually(async () => expect(await p.stored(other)).toMatchObject({ outcome: 'sent' }), soon);
    expect(await p.stored(id)).not.toHaveProperty('outcome');
    p.clock.ms += 60_001;
    notify();
    await eventually(
      async () => expect(await p.stored(id)).toMatchObject({ outcome: 'sent', tries: 2 }),
      soon,
    );
    expect(server.mailsTo(p.email)).toHaveLength(2);
  });

  it('of a process that dies after the server has accepted the mail comes again with the same Message-ID', async () => {
    const p = await post();
    const id = await p.add();
    const dead = await p.mails.claim(new Date(p.clock.ms), new Date(p.clock.ms + 60_000));
    if (dead === undefined) throw new Error('nothing is due');
    const recipient = await p.settings.recipient(p.account);
    if (recipient === undefined) throw new Error('there is no such account');
    const transport = smtpTransport(server.url, { from });
    const message = await messageOf(dead, recipient);
    if (message === undefined) throw new Error('it has no text');
    await transport.send(message, AbortSignal.timeout(60_000));
    transport.close();
    p.clock.ms += 60_001;
    p.start();
    await eventually(async () => expect(await p.stored(id)).toMatchObject({ outcome: 'sent' }), soon);
    const names = server.mailsTo(p.email).map(({ header }) => header('Message-ID'));
    expect(names).toEqual([names[0], names[0]]);
    // What is too late for its lease changes nothing.
    await p.mails.end(dead, 'refused', new Date());
    expect(await p.stored(id)).toMatchObject({ outcome: 'sent' });
  });

  it('is sent when a server that was away is back; until then it is tried more and more rarely', async () => {
    const closed = await startMailServer();
    const { url } = closed;
    await closed[Symbol.asyncDispose]();
    const p = await post(url);
    const id = await p.add();
    const { notify } = p.start();
    const waits: number[] = [];
    for (let tries = 1; tries <= 3; tries += 1) {
      await eventually(async () => expect(await p.stored(id)).not.toHaveProperty('lease'), soon);
      await eventually(() => expect(p.outcomes).toHaveLength(tries), soon);
      await eventually(async () => {
        const due = (await p.stored(id))?.due_at?.getTime() ?? 0;
        expect(due).toBeGreaterThan(p.clock.ms);
        waits[tries - 1] = due - p.clock.ms;
      }, soon);
      // Not after the last one: a try that begins before the server is back would wait again.
      if (tries < 3) p.clock.ms += waits[tries - 1] ?? 0;
      notify();
    }
    expect(new Set(p.outcomes)).toEqual(new Set(['unreachable']));
    expect(waits[0]).toBeLessThanOrEqual(120_000);
    expect(waits[2]).toBeGreaterThanOrEqual(240_000);
    const back = await startMailServer(Number(new URL(url).port));
    world.defer(() => back[Symbol.asyncDispose]());
    p.clock.ms += 3_600_000;
    notify();
    await eventually(() => expect(back.mailsTo(p.email)).toHaveLength(1), soon);
    const none = { count: 0, since: undefined };
    await eventually(async () => expect(await p.mails.waiting()).toEqual(none));
  });

  it('that is refused for good is not tried again, and one that is refused for now is sent later', async () => {
    const p = await post();
    let answers = [550, 451, 554, 452];
    server.onRecipient = (to) => (to === p.email ? answers.shift() : undefined);
    for (const [at, outcome] of (['refused', 'deferred'] as const).entries()) {
      const id = await p.add();
      const { notify, stop } = p.start();
      await eventually(() => expect(p.outcomes[at]).toBe(outcome), soon);
      if (outcome === 'refused') {
        expect(await p.stored(id)).toMatchObject({ outcome });
        await stop();
        continue;
      }
      answers = [];
      p.clock.ms += 120_001;
      notify();
      await eventually(
        async () => expect(await p.stored(id)).toMatchObject({ outcome: 'sent', tries: 2 }),
        soon,
      );
      await stop();
    }
    // The same for the answer to the whole message.
    const later = [554, 452];
    server.onMessage = (to) => (to === p.email ? later.shift() : undefined);
    await p.add();
    await p.add();
    p.start();
    await eventually(() => expect([...p.outcomes.slice(3)].sort()).toEqual(['deferred', 'refused']), soon);
    expect(server.mailsTo(p.email)).toHaveLength(1);
  });

  it('that could not be sent within a day is given up', async () => {
    const p = await post();
    server.onRecipient = (to) => (to === p.email ? 451 : undefined);
    const id = await p.add();
    p.clock.ms += dayMs;
    p.start();
    await eventually(async () => expect(await p.stored(id)).toMatchObject({ outcome: 'late' }), soon);
  });

  it('whose connection breaks or hangs is sent later, and a process that stops gives it back at once', async () => {
    const p = await post();
    server.onMessage = (to) => (to === p.email ? 'hang up' : undefined);
    const id = await p.add();
    const first = p.start();
    await eventually(() => expect(p.outcomes).toEqual(['unreachable']), soon);
    await first.stop();
    server.onMessage = (to) => (to === p.email ? 'silence' : undefined);
    p.clock.ms += 120_001;
    const asked = server.asked.length;
    const second = p.start();
    await eventually(() => expect(server.asked.length).toBeGreaterThan(asked), soon);
    await second.stop();
    expect(await p.stored(id)).toMatchObject({ due_at: new Date(p.clock.ms) });
    server.onMessage = () => undefined;
    p.start();
    await eventually(() => expect(server.mailsTo(p.email)).toHaveLength(1), soon);
  });

  it('beyond the 20 of its account within a day is not sent; one that failed does not count', async () => {
    const p = await post();
    server.onMessage = (to) => (to === p.email ? 554 : undefined);
    await p.add();
    const { notify } = p.start();
    await eventually(() => expect(p.outcomes).toEqual(['refused']), soon);
    server.onMessage = () => undefined;
    await Promise.all(Array.from({ length: 22 }, p.add));
    notify();
    await eventually(() => expect(p.outcomes).toHaveLength(23), soon);
    expect(p.outcomes.filter((outcome) => outcome === 'limited')).toHaveLength(2);
    expect(server.mailsTo(p.email)).toHaveLength(20);
  });

  it('whose text can not be made ends', async () => {
    const p = await post();
    const id = await p.add();
    const { stop } = p.start(undefined, () => {
      throw new Error('a value is missing');
    });
    await eventually(async () => expect(await p.stored(id)).toMatchObject({ outcome: 'failed' }), soon);
    await stop();
    expect(p.outcomes).toEqual(['failed']);
  });

  it('is not sent when its recipient has switched off its kind, is suspended, unverified or deleted', async () => {
    const p = await post();
    const { accounts } = p.models;
    const change = ($set: object) => accounts.updateOne({ _id: p.account }, { $set });
    p.start();
    const ends = async (expected: string) => {
      const id = await p.add();
      await eventually(async () => expect(await p.stored(id)).toMatchObject({ outcome: expected }), soon);
    };
    await p.settings.change(p.account, { keys: false });
    await ends('unwanted');
    await p.settings.change(p.account, { keys: true, webhooks: false });
    await ends('sent');
    await change({ verification: 'pending' });
    await ends('unwanted');
    // Whoever signed up where nobody asks may have named somebody else's address.
    await accounts.updateOne({ _id: p.account }, { $unset: { verification: 1 } });
    await ends('unwanted');
    await change({ verification: 'verified', status: 'suspended' });
    await ends('unwanted');
    await change({ status: 'deleted' });
    await ends('unwanted');
    expect(server.mailsTo(p.email)).toHaveLength(1);
  });

  it('about the security of an account can not be switched off, goes to a former address where it names one, and has a limit of its own', async () => {
    const p = await post();
    await p.settings.change(p.account, { webhooks: false, keys: false });
    const values = { what: 'email-changed', at: '2026-01-02T03:04:05Z', address: '198.51.100.7' } as const;
    const former = `former-${p.email}`;
    const security = { account: p.account, kind: 'security', values: { ...values, name: p.email } } as const;
    await p.mails.add({ id: 'security:1', ...security });
    await p.mails.add({ id: 'security:2', ...security, to: former });
    await Promise.all(Array.from({ length: 20 }, (_, n) => p.mails.add({ id: `more:${n}`, ...security })));
    p.start();
    await eventually(() => expect(p.outcomes).toHaveLength(22), soon);
    expect(p.outcomes.filter((outcome) => outcome === 'limited')).toHaveLength(2);
    await p.settings.change(p.account, { keys: true });
    const id = await p.add();
    await eventually(async () => expect(await p.stored(id)).toMatchObject({ outcome: 'sent' }), soon);
    const mail = server.mailsTo(former)[0] ?? server.mailsTo(p.email)[0];
    expect(mail?.header('Subject')).toBe('The e-mail address of your account was changed');
    expect(mail?.header('List-Unsubscribe')).toBeUndefined();
    expect(mail?.raw).toContain('198.51.100.7');
  });

  it('is a file in a folder where the settings name one, once', async () => {
    const p = await post();
    const dir = await mkdtemp(join(tmpdir(), 'mails-'));
    const id = await p.add();
    const send = folderTransport(join(dir, 'new'), { from });
    p.start(async (message, signal) => {
      await send(message, signal);
      await send(message, signal);
    });
    await eventually(async () => expect(await p.stored(id)).toMatchObject({ outcome: 'sent' }), soon);
    const files = await readdir(join(dir, 'new'));
    expect(files).toEqual([expect.stringMatching(/^\w+-keys-\w+\.eml$/)]);
    expect(await readFile(join(dir, 'new', files[0] ?? ''), 'utf8')).toContain(`To: ${p.email}`);
  });
});
