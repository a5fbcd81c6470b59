import { newId } from '@sigcast/runtime';
import {
  type ChatProviderAnswer,
  type ChatProviders,
  eventually,
  startChatProviders,
} from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tokenOf } from '../src/domain/destination.ts';
import { batchTermsOf } from '../src/store/documents.ts';
import { discordAddress, slackAddress, telegramDestination } from './chat-addresses.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
let providers: ChatProviders;
beforeAll(async () => {
  f = await fixture();
  providers = await startChatProviders();
  await f.startWorker({ chats: { baseUrl: providers.url }, retryDelaysMs: [1, 1] });
});
afterAll(async () => {
  await f[Symbol.asyncDispose]();
  await providers[Symbol.asyncDispose]();
});

const kinds = ['slack', 'discord', 'telegram'] as const;
type Kind = (typeof kinds)[number];
type Body = { data: Record<string, unknown>; error?: { details?: { field: string }[]; message: string } };

/** A destination of a kind, with a chat of its own. */
function given(kind: Kind): {
  readonly members: Record<string, unknown>;
  readonly token: string;
  readonly path: string;
} {
  const own = newId('x').replaceAll('_', '').slice(0, 12);
  if (kind === 'telegram') {
    const bot_token = telegramDestination.bot_token.replace('exampleToken', own);
    return {
      members: { telegram: { ...telegramDestination, bot_token } },
      token: bot_token.replace(/^\d+:/, ''),
      path: `api.telegram.org/bot${bot_token}/sendMessage`,
    };
  }
  const url = (kind === 'slack' ? slackAddress : discordAddress).replace('exampleToken', own);
  const path = `${url.replace('https://', '')}${kind === 'discord' ? '?wait=true' : ''}`;
  return { members: { url }, token: tokenOf(url), path };
}

async function chat(kind: Kind, more: Record<string, unknown> = {}) {
  const { members, token, path } = given(kind);
  const account = newId('acct');
  const answer = await f
    .as(account, 'post', '/v1/webhooks')
    .send({ kind, ...members, events: ['signal.new'], ...more })
    .expect(201);
  const { id } = (answer.body as { data: { id: string } }).data;
  return {
    id,
    account,
    token,
    made: (answer.body as Body).data,
    ask: (method: 'get' | 'post' | 'patch', action = '') =>
      f.as(account, method, `/v1/webhooks/${id}${action}`),
    got: () => providers.messages.filter((message) => message.path === path),
    log: async () => {
      const { body } = await f.as(account, 'get', `/v1/webhooks/${id}/deliveries`).expect(200);
      return (body as { data: { id: string; status: string; last_attempt: { error: string | null } }[] })
        .data;
    },
  };
}

beforeEach(async () => {
  await f.collections.subscriptions.deleteMany({});
});

describe.each(kinds)('a chat in %s', (kind) => {
  it('gets one message for an event, and one for a test', async () => {
    const { got, made, ask, log } = await chat(kind);
    expect(made).toMatchObject({ kind, template: 'standard', ordered: true, secret: '', proven: false });
    await ask('post', '/test').expect(201);
    await f.publish(signalEvent());
    await eventually(async () => {
      expect((await log()).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
    });
    expect(got().length).toBe(2);
    expect(
      got()
        .map(({ body }) => /Test message|New signal/.exec(body)?.[0])
        .sort(),
    ).toEqual(['New signal', 'Test message']);
    expect((await ask('get').expect(200)).body).toMatchObject({ data: { proven: true } });
  });

  it('never shows its token: not in answers, in the log of an address that repeats it, in the database or in notices', async () => {
    const { id, token, made, ask, account, log } = await chat(kind, { template: 'compact' });
    const url = String(made.url);
    providers.answer(kind, { status: 500, body: `echo ${token}` });
    await f.publish(signalEvent());
    await eventually(async () => expect((await log())[0]?.status).toBe('delivered'));
    const [{ id: delivery = '' } = {}] = await log();
    const answers = await Promise.all([
      ask('get'),
      ask('get', `/deliveries/${delivery}`),
      ask('patch').send({ template: 'detailed' }),
      f.as(account, 'get', '/v1/webhooks'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(JSON.stringify(answers[1].body)).toContain('echo ***');
    const stored = await Promise.all(
      [f.collections.subscriptions, f.collections.deliveries].map((one) => one.collection.find().toArray()),
    );
    const texts = [
      JSON.stringify(made),
      ...answers.map(({ body }) => JSON.stringify(body)),
      JSON.stringify(stored),
    ];
    for (const text of texts) expect(text).not.toContain(token.slice(0, -4));
    expect(url).toContain(`***${token.slice(-4)}`);
    const { body } = answers[1] as { body: { data: { attempts: { request: { url: string } }[] } } };
    expect(body.data.attempts[0]?.request.url).toBe(url);
    expect(id).toMatch(/^wh_/);
  });
});

const gone: readonly (readonly [Kind, string, ChatProviderAnswer])[] = [
  ['slack', 'a removed webhook', { status: 404, body: 'no_service' }],
  ['slack', 'an archived channel', { status: 410, body: 'channel_is_archived' }],
  ['slack', 'a forbidden channel', { status: 403, body: 'action_prohibited' }],
  ['discord', 'a removed webhook', { status: 404, body: { message: 'Unknown Webhook', code: 10_015 } }],
  ['discord', 'a wrong token', { status: 401, body: { message: 'Invalid Webhook Token', code: 50_027 } }],
  ['telegram', 'a chat that is not there', telegramError(400, 'Bad Request: chat not found')],
  ['telegram', 'a bot that was removed', telegramError(403, 'Forbidden: bot was kicked from the group chat')],
  ['telegram', 'a wrong token', telegramError(401, 'Unauthorized')],
];
function telegramError(status: number, description: string, parameters?: object): ChatProviderAnswer {
  return { status, body: { ok: false, error_code: status, description, parameters } };
}

it.each(gone)(
  'in %s, %s disables the webhook at once, and what waits is sent when it is enabled',
  async (kind, _, answer) => {
    const { got, ask, log } = await chat(kind);
    providers.answer(kind, answer);
    await f.publish(signalEvent());
    await eventually(async () => {
      expect((await ask('get')).body).toMatchObject({
        data: { status: 'disabled', disabled_reason: 'gone' },
      });
    });
    expect(await log()).toMatchObject([{ status: 'failed', attempt_count: 1 }]);
    await ask('patch').send({ status: 'enabled' }).expect(200);
    await f.publish(signalEvent());
    await eventually(() => expect(got().length).toBe(1));
  },
);

it('a group of Telegram that became a supergroup fails with its new id', async () => {
  const { log, ask } = await chat('telegram');
  const description = 'Bad Request: group chat was upgraded to a supergroup chat';
  providers.answer('telegram', telegramError(400, description, { migrate_to_chat_id: -1009876543210 }));
  await f.publish(signalEvent());
  await eventually(async () => expect((await log())[0]?.status).toBe('failed'));
  expect((await log())[0]?.last_attempt.error).toBe(
    'The group became a supergroup: set chat_id to -1009876543210',
  );
  const telegram = { ...telegramDestination, chat_id: -1009876543210 };
  const { body } = await ask('patch').send({ telegram, status: 'enabled' }).expect(200);
  expect((body as Body).data).toMatchObject({
    telegram: { chat_id: -1009876543210, message_thread_id: null },
    proven: false,
    status: 'enabled',
  });
});

it.each([
  ['slack', { status: 429, body: 'rate_limited', retryAfter: 30 }],
  ['discord', { status: 429, body: { message: 'You are being rate limited.', retry_after: 29.5 } }],
  ['telegram', telegramError(429, 'Too Many Requests: retry after 30', { retry_after: 30 })],
] as const)('when %s says how long to wait, the next try is not sooner', async (kind, answer) => {
  const { log, got } = await chat(kind);
  providers.answer(kind, answer as ChatProviderAnswer);
  const before = Date.now();
  await f.publish(signalEvent());
  const waiting = await eventually(async () => {
    const [delivery] = (await log()) as unknown as {
      status: string;
      next_attempt_at: string;
      attempt_count: number;
    }[];
    expect(delivery).toMatchObject({ status: 'pending', attempt_count: 1 });
    return delivery;
  });
  expect(Date.parse(waiting?.next_attempt_at ?? '') - before).toBeGreaterThanOrEqual(29_500);
  expect(got()).toEqual([]);
});

it.each([
  ['an error of the provider', { status: 500, body: '<html>oops</html>' }],
  ['an answer that is no JSON', { status: 502, body: '{"ok":' }],
] as const)('%s is tried again, and the chat gets one message', async (_, answer) => {
  for (const kind of kinds) {
    const { id, log, got } = await chat(kind);
    // An unproven address gets its retries seconds apart.
    await f.prove(id);
    providers.answer(kind, answer, answer);
    await f.publish(signalEvent());
    await eventually(async () => expect((await log())[0]?.status).toBe('delivered'));
    expect(got().length).toBe(1);
    await f.collections.subscriptions.deleteMany({});
  }
});

it.each(kinds)(
  'events of %s that come together are put together, each once, at most ten in a message',
  async (kind) => {
    const { got, log } = await chat(kind, { template: 'detailed' });
    const events = Array.from({ length: 14 }, () => signalEvent());
    for (const event of events) await f.publish(event);
    await eventually(async () => {
      expect((await log()).filter(({ status }) => status === 'delivered')).toHaveLength(events.length);
    });
    const each = { slack: /"type":"header"/g, discord: /"title":/g, telegram: /New signal/g }[kind];
    const shown = got().map(({ body }) => body.match(each)?.length ?? 0);
    expect(Math.max(...shown)).toBeLessThanOrEqual(10);
    expect(shown.reduce((sum, count) => sum + count, 0)).toBe(events.length);
    expect(shown.length).toBeLessThan(events.length);
  },
);

it('a chat has a pace of one message a second', () => {
  const telegram = {
    ordered: true,
    batch: null,
    chat: { kind: 'telegram', template: 'standard', telegram: null },
  } as const;
  expect(batchTermsOf(telegram)).toEqual({ max: 10, waitMs: 0, everyMs: 1_000 });
});

it('what a kind does not have is refused by the name of the member; a kind can not be changed; nothing is rotated', async () => {
  const account = newId('acct');
  const create = (body: object) =>
    f.as(account, 'post', '/v1/webhooks').send({ events: ['signal.new'], ...body });
  const refused = [
    [{ kind: 'slack' }, 'url'],
    [{ kind: 'slack', url: 'https://example.com/x' }, 'url'],
    [{ kind: 'telegram' }, 'telegram'],
    [{ kind: 'telegram', telegram: { ...telegramDestination, bot_token: 'x' } }, 'telegram.bot_token'],
    [{ kind: 'telegram', telegram: { ...telegramDestination, chat_id: 'x' } }, 'telegram.chat_id'],
    [{ kind: 'discord', url: discordAddress, ordered: false }, 'ordered'],
    [{ kind: 'mail', url: discordAddress }, 'kind'],
    [{}, 'url'],
  ] as const;
  for (const [body, field] of refused) {
    const answer = await create(body).expect(400);
    expect((answer.body as Body).error?.details?.map((one) => one.field)).toEqual([field]);
  }
  const { ask } = await chat('slack');
  await ask('patch').send({ kind: 'discord' }).expect(400);
  await ask('patch').send({ telegram: telegramDestination }).expect(400);
  await ask('patch').send({ ordered: false }).expect(400);
  const rotated = await ask('post', '/rotate-secret').expect(409);
  expect((rotated.body as Body).error?.message).toMatch(/no signing secret/);
});
