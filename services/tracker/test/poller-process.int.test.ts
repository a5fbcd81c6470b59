import { addressOf, spawnService, type TestStack, testStack } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

const entry = new URL('../src/main-poller.ts', import.meta.url).pathname;

let stack: TestStack;
beforeAll(() => {
  stack = testStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const start = (settings: Readonly<Record<string, string>> = {}) =>
  spawnService(entry, {
    MONGODB_URI: stack.mongodbUri,
    MONGODB_DATABASE: stack.database('tracker'),
    REDIS_URL: stack.redisUrl,
    REDIS_KEY_PREFIX: stack.redisKeyPrefix,
    SIGNALS_URL: 'http://127.0.0.1:1',
    SIGNALS_TOKEN: 'token',
    MARKET_URL: 'http://127.0.0.1:1',
    PORT: '0',
    ...settings,
  });

it('the poller serves its health, and ends when it is told to', async () => {
  await using poller = start();
  const url = await addressOf(poller);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'ready', checks: { mongodb: 'ok', redis: 'ok' } },
  ]);
  await poller.kill('SIGTERM');
  expect(await poller.exited).toBe(0);
});

it('the poller starts without Redis, and says that it is away', async () => {
  await using poller = start({ REDIS_URL: 'redis://127.0.0.1:1' });
  const ready = await fetch(`${await addressOf(poller)}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'ready', checks: { mongodb: 'ok', redis: 'failing' } },
  ]);
  await poller.kill('SIGTERM');
  expect(await poller.exited).toBe(0);
});

it('the poller does not start with wrong settings, and names every one of them', async () => {
  await using poller = start({ PORT: 'http', REDIS_URL: 'localhost', TRACKER_SCHEDULE: 'often' });
  expect(await poller.exited).toBe(78);
  for (const name of ['PORT', 'REDIS_URL', 'TRACKER_SCHEDULE']) expect(poller.output()).toContain(name);
});
