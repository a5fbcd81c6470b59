import { maxFilterBytes } from '@sigcast/contracts';
import { newSealKey } from '@sigcast/runtime';
import { testKeyPair } from '@sigcast/testing';
import { describe, expect, it } from 'vitest';
import { readGatewayConfig, serverLimits } from '../src/config.ts';

const required = {
  MONGODB_URI: 'mongodb://localhost',
  REDIS_URL: 'redis://localhost',
  AMQP_URL: 'amqp://localhost',
  SIGNALS_URL: 'http://a',
  STATS_URL: 'http://a',
  WEBHOOKS_URL: 'http://a',
  IDENTITY_PRIVATE_KEY: testKeyPair().privateKey,
  GATEWAY_SEAL_KEYS: newSealKey(1),
};

describe('the time without bytes after which the server closes a connection', () => {
  it.each([
    ['UPSTREAM_HEADERS_TIMEOUT_MS', 50_000],
    ['UPSTREAM_IDLE_TIMEOUT_MS', 50_000],
    ['BODY_TIMEOUT_MS', 50_000],
    ['STALLED_CLIENT_TIMEOUT_MS', 50_000],
  ])('is 5 s longer than %s', (name, ms) => {
    const config = readGatewayConfig({ ...required, [name]: String(ms) });
    expect(serverLimits(config).silenceMs).toBe(ms + 5_000);
  });
});

it('the longest filter of a list leaves room for the rest of the head of a request', () => {
  // Some encoders also encode characters that need not be, which makes at most twice as much of it.
  const most = 2 * maxFilterBytes;
  expect(most + 4_000).toBeLessThanOrEqual(serverLimits(readGatewayConfig(required)).maxHeadBytes);
});
