import { fileURLToPath } from 'node:url';
import { newId } from '@sigcast/runtime';
import { eventually, spawnService, startChatProviders } from '@sigcast/testing';
import { expect, it } from 'vitest';
import { discordAddress, slackAddress, telegramDestination } from './chat-addresses.ts';
import { fixture, signalEvent } from './fixture.ts';
import { testKey } from './test-sealer.ts';

it('chats get every event at their provider’s pace, once, though a worker is killed: only what was under way may come again', async () => {
  await using f = await fixture();
  // Longer than our pace, so that the provider refuses messages and has to be obeyed.
  await using providers = await startChatProviders({ minGapMs: 1_500 });
  const worker = () =>
    spawnService(fileURLToPath(new URL('../src/main-worker.ts', import.meta.url)), {
      MONGODB_URI: f.stack.mongodbUri,
      MONGODB_DATABASE: f.database,
      PORT: '0',
      AMQP_URL: f.stack.amqpUrl,
      BROKER_NAMESPACE: f.stack.namespace,
      LOG_LEVEL: 'warn',
      WEBHOOK_SEAL_KEYS: testKey,
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      WEBHOOK_CHATS_URL: providers.url,
      WEBHOOK_RETRY_DELAYS_MS: '1000,1000,1000',
    });
  const kinds = ['slack', 'discord', 'telegram'] as const;
  const destinations = {
    slack: { url: slackAddress },
    discord: { url: discordAddress },
    telegram: { telegram: telegramDestination },
  };
  const account = newId('acct');
  for (const kind of kinds) {
    const body = { kind, ...destinations[kind], events: ['signal.new'], template: 'detailed' };
    await f.as(account, 'post', '/v1/webhooks').send(body).expect(201);
  }
  await f.collections.subscriptions.updateMany({}, { $set: { proven: true } });
  const events = Array.from({ length: 40 }, (_, n) => {
    const event = signalEvent();
    return { ...event, data: { ...event.data, token: { ...event.data.token, symbol: `N${100 + n}` } } };
  });

  const first = worker();
  // As long as a process may take to start.
  await eventually(async () => expect(await f.collections.workers.countDocuments()).toBe(1), {
    timeoutMs: 60_000,
  });
  for (const kind of kinds) providers.answer(kind, { status: 500, body: 'oops' });
  for (const event of events.slice(0, 20)) await f.publish(event);
  await eventually(() => expect(providers.messages.length).toBeGreaterThan(2));
  await first.kill('SIGKILL');
  await using _second = worker();
  for (const event of events.slice(20)) await f.publish(event);
  await eventually(
    async () => {
      const delivered = await f.collections.deliveries.countDocuments({ status: 'delivered' });
      expect(delivered).toBe(kinds.length * events.length);
    },
    { timeoutMs: 90_000 },
  );

  const interrupted = await f.collections.deliveries
    .find({ 'attempts.outcome': 'interrupted' }, { _id: 1 })
    .lean();
  const ids = interrupted.map(({ _id }) => _id);
  // A message that was under way comes again whole, also with those events whose outcomes were written before the worker died.
  const repeated = await f.collections.deliveries
    .find({ $or: [{ _id: { $in: ids } }, { 'attempts.batch.first': { $in: ids } }] }, { event_id: 1 })
    .lean();
  const mayRepeat = new Set(repeated.map(({ event_id }) => event_id));
  for (const kind of kinds) {
    const shown = providers.messages
      .filter((message) => message.kind === kind)
      .flatMap(({ body }) => [...new Set(body.match(/N1\d\d/g))]);
    for (const { id, data } of events) {
      const times = shown.filter((symbol) => symbol === data.token.symbol).length;
      expect([kind, times, times === 1 || (times > 1 && mayRepeat.has(id))]).toEqual([kind, times, true]);
    }
    const messages = providers.messages.filter((message) => message.kind === kind);
    expect(messages.length).toBeLessThan(events.length / 2);
  }
}, 180_000);
