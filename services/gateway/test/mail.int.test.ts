import { sampleOf, signalListItemSchema, type WebhookNotice, webhookTopology } from '@sigcast/contracts';
import { connectBroker, webhookDeclarations, webhookNoticeMessage } from '@sigcast/messaging';
import { newId, silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyIdOf } from '../src/domain/api-key.ts';
import { digestDueAt } from '../src/domain/mail/settings.ts';
import { dayMs } from '../src/domain/usage.ts';
import { mongoMailSettings } from '../src/store/mail-settings.ts';
import { signedUp } from './account-harness.ts';
import { World } from './harness.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { okAnswer } from './scripted-upstream.ts';

let world: World;
let server: MailServer;
let env: Record<string, string>;
let gateway: string;
beforeAll(async () => {
  server = await startMailServer();
  world = await World.start();
  env = {
    SMTP_URL: server.url,
    PUBLIC_URL: 'http://api.example.com',
    MAIL_FROM: 'mail@example.com',
    CONFIRM_SIGN_UPS: 'false',
  };
  gateway = await world.gateway({ env });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const soon = { timeoutMs: 30_000 };
const emailOf = async (account: string) =>
  (await world.models.accounts.findById(account).lean())?.email ?? '';
/** The mails to an address, without the one with which it is confirmed. */
const mailsTo = (email: string) =>
  server.mailsTo(email).filter((mail) => mail.header('Subject') !== 'Confirm your e-mail address');
const subjectsTo = (email: string) => mailsTo(email).map(({ header }) => header('Subject'));
const outcomeOf = async (id: string) => (await world.models.mails.findOne({ _id: id }))?.outcome;
/** A holder whose e-mail address is verified. */
const verifiedHolder = async () => {
  const holder = await signedUp(gateway);
  await world.accounts.verify(holder.id);
  return holder;
};
/** A gateway that looks at keys and digests at once, because it starts. */
const another = () => world.gateway({ env });

const notice = (account: string, type: WebhookNotice['type']): WebhookNotice => ({
  id: newId('evt'),
  type,
  version: 1,
  occurred_at: new Date().toISOString(),
  data: {
    account,
    webhook: 'wh_1',
    description: 'Bot',
    host: 'hooks.example.com',
    failing_since: '2026-01-01T09:30:00.000Z',
    disables_at: null,
    disabled_reason: null,
  },
});
const publisher = async (of: World) => {
  const topology = webhookTopology(of.stack.namespace);
  const resources = new AsyncDisposableStack();
  of.defer(() => resources.disposeAsync());
  const declare = webhookDeclarations(topology);
  const settings = { urls: [of.stack.amqpUrl], name: 'worker', declare };
  const broker = await connectBroker(settings, silentLogger(), resources);
  return {
    broker,
    queue: topology.gateway.queue,
    publish: (published: WebhookNotice) => broker.publish(webhookNoticeMessage(topology.exchange, published)),
  };
};

describe('a notice of a webhook', () => {
  it('is mailed once, however often it comes and however many gateways there are', async () => {
    await another();
    const { publish } = await publisher(world);
    const { account } = await world.customer();
    const email = await emailOf(account);
    const [failing, recovered] = [notice(account, 'webhook.failing'), notice(account, 'webhook.recovered')];
    for (const each of [failing, failing, recovered, failing]) await publish(each);
    await eventually(
      () =>
        expect(subjectsTo(email).sort()).toEqual([
          'Webhook Bot (hooks.example.com) delivers again',
          'Webhook Bot (hooks.example.com) fails',
        ]),
      soon,
    );
    expect(await world.models.mails.countDocuments({ account })).toBe(2);
    // Whatever came again has been handled when what came later has been sent.
    const others = await Promise.all(Array.from({ length: 10 }, () => world.customer()));
    for (const other of others) await publish(notice(other.account, 'webhook.failing'));
    await Promise.all(
      others.map(async (other) => {
        const address = await emailOf(other.account);
        await eventually(() => expect(subjectsTo(address)).toHaveLength(1), soon);
      }),
    );
    expect(subjectsTo(email)).toHaveLength(2);
  });

  it('that can not be read is parked, where operators find it', async () => {
    const { broker } = await publisher(world);
    const { exchange } = webhookTopology(world.stack.namespace);
    const message = webhookNoticeMessage(exchange, notice('acct_1', 'webhook.failing'));
    await broker.publish({ ...message, body: Buffer.from('{}') });
    const { amqpUrl, namespace } = world.stack;
    const parked = async (...args: string[]) =>
      (
        await world.command(['parked', ...args, '--json'], {
          AMQP_URL: amqpUrl,
          BROKER_NAMESPACE: namespace,
        })
      ).data;
    await eventually(
      async () => expect(await parked('list')).toMatchObject({ messages: [{ id: message.messageId }] }),
      soon,
    );
    expect(await parked('drop', '--all')).toEqual({ dropped: 1 });
  });

  it('is dropped by a gateway that sends no mail, and that gateway says so', async () => {
    await using silent = await World.start();
    const quiet = await silent.gateway();
    const { publish, broker, queue } = await publisher(silent);
    await publish(notice('acct_1', 'webhook.failing'));
    await eventually(async () => {
      const { messageCount, consumerCount } = await broker.withChannel((channel) =>
        channel.checkQueue(queue),
      );
      expect({ messageCount, consumerCount }).toEqual({ messageCount: 0, consumerCount: 1 });
    }, soon);
    expect(await silent.models.mails.countDocuments()).toBe(0);
    const holder = await signedUp(quiet);
    expect((await holder.send('GET', '/account/mail')).body.data).toMatchObject({ available: false });
  });
});

describe('an API key that expires', () => {
  it('is mailed once within 7 days and once within a day of its end, unless it is revoked', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * dayMs);
    const [later, week, day, revoked, gone] = [
      await world.customer({}, inDays(8)),
      await world.customer({}, inDays(6.9)),
      await world.customer({}, inDays(0.9)),
      await world.customer({}, inDays(3)),
      await world.customer({}, inDays(-1)),
    ];
    await world.keys.revoke(revoked.sha256);
    const idOf = ({ sha256 }: { sha256: string }, days: number) => `keys:${keyIdOf(sha256)}:${days}`;
    await another();
    await eventually(async () => expect(await outcomeOf(idOf(week, 7))).toBe('sent'), soon);
    await eventually(async () => expect(await outcomeOf(idOf(day, 1))).toBe('sent'), soon);
    await world.models.keys.updateOne({ _id: week.sha256 }, { $set: { expires_at: inDays(0.5) } });
    await another();
    await eventually(async () => expect(await outcomeOf(idOf(week, 1))).toBe('sent'), soon);
    const counts = await Promise.all(
      [later, week, day, revoked, gone].map(async ({ account }) => subjectsTo(await emailOf(account)).length),
    );
    expect(counts).toEqual([0, 2, 1, 0, 0]);
  });
});

describe('a digest', () => {
  const signal = sampleOf(signalListItemSchema);
  const filter = { 'token.chain': { eq: 'solana' } };
  /** An account with a daily digest whose last one ended `days` ago. */
  const reader = async (days: number) => {
    const holder = await verifiedHolder();
    const set = await holder.send('PATCH', '/account/mail', { digest: { every: 'daily', filter } });
    expect(set.body.data).toMatchObject({ digest: { every: 'daily', filter } });
    const since = new Date(Date.now() - days * dayMs);
    const due = digestDueAt(since, 'daily');
    await world.models.accounts.updateOne(
      { _id: holder.id },
      { $set: { 'mail.digest.since': since, digest_due_at: due } },
    );
    return { ...holder, since };
  };
  const digestOf = async (id: string) => {
    const found = await world.models.accounts.findById(id).lean();
    return { since: found?.mail?.digest?.since, due: found?.digest_due_at };
  };
  const asked = (after: number) =>
    world.upstream.requests
      .slice(after)
      .filter(({ url }) => url.startsWith('/v1/signals?'))
      .map(({ url, headers }) => ({ query: new URL(url, 'http://signals').searchParams, headers }));
  const answer = (status: number, body: object) => {
    world.upstream.answer = (req, res, text) => {
      if (!req.url?.startsWith('/v1/signals?since')) return okAnswer(req, res);
      void text;
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
  };
  const listed = (total: number) =>
    answer(200, { success: true, data: total === 0 ? [] : [signal], meta: { total } });

  it('has the signals of all whole periods since the last one that its filter matches, as its account may list them', async () => {
    const { id, email, since } = await reader(2.5);
    listed(17);
    const before = world.upstream.requests.length;
    await another();
    await eventually(() => expect(subjectsTo(email)).toEqual(['17 signals in your daily digest']), soon);
    const until = new Date(since.getTime() + 2 * dayMs);
    const [{ query, headers } = { query: new URLSearchParams(), headers: {} }, best] = asked(before);
    expect([query, best?.query].map((each) => [each?.get('sort'), each?.get('limit')])).toEqual([
      ['created_at', '10'],
      ['ath_roi', '10'],
    ]);
    expect(query.get('since')).toBe(since.toISOString());
    expect(query.get('until')).toBe(until.toISOString());
    expect(JSON.parse(query.get('filter') ?? '')).toEqual(filter);
    expect(headers).toHaveProperty('x-sigcast-identity');
    await eventually(async () =>
      expect(await digestOf(id)).toEqual({ since: until, due: digestDueAt(until, 'daily') }),
    );
    const raw = mailsTo(email)[0]?.raw ?? '';
    expect(raw).toContain(signal.token.symbol);
    expect(raw).toContain('Highest so far');
  });

  it('without a signal makes no mail, and one that can not be listed says why', async () => {
    const quiet = await reader(1.1);
    listed(0);
    await another();
    const until = new Date(quiet.since.getTime() + dayMs);
    await eventually(async () => expect((await digestOf(quiet.id)).since).toEqual(until), soon);
    const refused = await reader(1.1);
    answer(400, {
      success: false,
      error: { code: 'INVALID_REQUEST', message: 'filter leaves too many', request_id: 'r' },
    });
    await another();
    await eventually(
      () => expect(subjectsTo(refused.email)).toEqual(['Your daily digest could not be made']),
      soon,
    );
    expect(subjectsTo(quiet.email)).toEqual([]);
  });

  it('whose process dies after it has added the mail comes once, and the next one begins where it ended', async () => {
    const { id, email, since } = await reader(1.5);
    listed(3);
    await another();
    await eventually(() => expect(subjectsTo(email)).toHaveLength(1), soon);
    const until = new Date(since.getTime() + dayMs);
    await eventually(async () => expect((await digestOf(id)).since).toEqual(until), soon);
    // As if a process had died before it moved an earlier digest on, and another one found that two days later.
    const died = new Date(since.getTime() - dayMs);
    await world.models.mails.insertOne({
      _id: `digest:${id}:${died.toISOString()}`,
      account: id,
      kind: 'digest',
      values: { until: since.toISOString() },
      created_at: died,
      tries: 1,
    });
    await world.models.accounts.updateOne(
      { _id: id },
      { $set: { 'mail.digest.since': died, digest_due_at: digestDueAt(died, 'daily') } },
    );
    const before = world.upstream.requests.length;
    await another();
    await eventually(async () => expect((await digestOf(id)).since).toEqual(until), soon);
    const listedSince = asked(before).map(({ query }) => query.get('since'));
    expect(listedSince).toEqual([died.toISOString(), since.toISOString()]);
    expect(subjectsTo(email)).toHaveLength(1);
  });
});

describe('the mail settings of an account', () => {
  it('are on at first, without a digest, and change member by member', async () => {
    const holder = await signedUp(gateway);
    const get = async () => (await holder.send('GET', '/account/mail')).body.data;
    expect(await get()).toEqual({ available: true, webhooks: true, keys: true, digest: null });
    await holder.send('PATCH', '/account/mail', { webhooks: false });
    const digest = { every: 'weekly', filter: null };
    const changed = await holder.send('PATCH', '/account/mail', { digest });
    expect(changed.body.data).toEqual({ available: true, webhooks: false, keys: true, digest });
    expect(await get()).toEqual(changed.body.data);
    await holder.send('PATCH', '/account/mail', { digest: null, webhooks: true });
    expect(await get()).toEqual({ available: true, webhooks: true, keys: true, digest: null });
    expect(await world.models.accounts.findById(holder.id).lean()).not.toHaveProperty('digest_due_at');
  });

  it('refuse a filter that is wrong by its path', async () => {
    const holder = await signedUp(gateway);
    const digest = { every: 'daily', filter: { 'metrics.liquidity': { gtee: 1 } } };
    const { status, body } = await holder.send('PATCH', '/account/mail', { digest });
    expect(status).toBe(400);
    expect(body.error?.details?.[0]?.field).toBe('digest.filter.metrics.liquidity.gtee');
    // As JSON it is short enough for a body, as a query it is too long for a list.
    const symbols = Array.from({ length: 50 }, (_, n) => `${'猫'.repeat(14)}${n}`);
    const long = { every: 'daily', filter: { 'token.symbol': { in: symbols } } };
    const refused = await holder.send('PATCH', '/account/mail', { digest: long });
    expect([refused.status, refused.body.error?.details?.[0]?.field]).toEqual([400, 'digest.filter']);
  });
});

describe('the link of a mail', () => {
  it('switches off its kind by a POST without a session, again and again, and by a GET only shows a button', async () => {
    const holder = await verifiedHolder();
    const made = await holder.send('POST', '/account/keys', { name: 'Bot' });
    await world.models.keys.updateOne(
      { account: holder.id },
      { $set: { expires_at: new Date(Date.now() + dayMs) } },
    );
    expect(made.status).toBe(201);
    await another();
    const mail = await eventually(() => {
      const [first] = mailsTo(holder.email);
      if (first === undefined) throw new Error('no mail yet');
      return first;
    }, soon);
    const link = new URL(/<(.*)>/.exec(mail.header('List-Unsubscribe') ?? '')?.[1] ?? '');
    expect(link.origin).toBe(env.PUBLIC_URL);
    const at = `${gateway}${link.pathname}${link.search}`;
    const settings = async () => (await holder.send('GET', '/account/mail')).body.data;
    const shown = await fetch(at);
    expect([shown.status, await shown.text()]).toEqual([
      200,
      expect.stringContaining('<form method="post">'),
    ]);
    expect(await settings()).toMatchObject({ keys: true });
    for (let n = 0; n < 2; n += 1) {
      const done = await fetch(at, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      });
      expect([done.status, await done.text()]).toEqual([
        200,
        expect.stringContaining('no more mails about API keys'),
      ]);
    }
    expect(await settings()).toMatchObject({ keys: false, webhooks: true });
    for (const token of ['', 'x', `${link.searchParams.get('token')}x`, holder.token ?? '']) {
      const refused = await fetch(`${gateway}/mail/unsubscribe?token=${token}`, { method: 'POST' });
      expect(refused.status).toBe(400);
    }
  });
});

it('the mails of a deleted account are removed, and none is added', async () => {
  const { account } = await world.customer({}, new Date(Date.now() + dayMs));
  await another();
  await eventually(async () => expect(await world.models.mails.countDocuments({ account })).toBe(1), soon);
  await world.accounts.remove(account);
  await eventually(async () => expect(await world.models.mails.countDocuments({ account })).toBe(0), soon);
  await mongoMailSettings(world.models, Date.now).change(account, {
    digest: { every: 'daily', filter: null },
  });
  expect(await world.models.accounts.findById(account).lean()).not.toHaveProperty('mail');
  const { publish, broker, queue } = await publisher(world);
  await publish(notice(account, 'webhook.failing'));
  const verified = await world.customer();
  await publish(notice(verified.account, 'webhook.failing'));
  const { mails } = world.models;
  await eventually(
    async () => expect(await mails.countDocuments({ account: verified.account })).toBe(1),
    soon,
  );
  await eventually(async () => {
    const { messageCount } = await broker.withChannel((channel) => channel.checkQueue(queue));
    expect(messageCount).toBe(0);
  }, soon);
  expect(await mails.countDocuments({ account })).toBe(0);
});

it('a gateway whose mail server is away serves, is ready, and shows how many mails wait and for how long', async () => {
  await using alone = await World.start();
  const { account } = await alone.customer({}, new Date(Date.now() + dayMs));
  const away = await alone.gateway({ env: { ...env, SMTP_URL: 'smtp://127.0.0.1:1' } });
  const metric = (name: string, labels = {}) => alone.metric(away, `sigcast_gateway_${name}`, labels);
  await eventually(async () =>
    expect(await metric('mails_total', { outcome: 'unreachable' })).toBeGreaterThan(0),
  );
  await alone.models.mails.updateOne({ account }, { $set: { created_at: new Date(Date.now() - 60_000) } });
  await eventually(async () => {
    expect(await metric('mails_waiting')).toBe(1);
    expect(await metric('mail_wait_seconds')).toBeGreaterThanOrEqual(60);
  });
  expect((await alone.probe(away, '/readyz')).status).toBe(200);
  expect((await fetch(`${away}/docs`)).status).toBe(200);
});
