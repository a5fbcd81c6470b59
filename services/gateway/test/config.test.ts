import { testKeyPair } from '@sigcast/testing';
import { describe, expect, it } from 'vitest';
import { readGatewayConfig, serverLimits } from '../src/config.ts';

describe('the time without bytes after which the server closes a connection', () => {
  const required = {
    MONGODB_URI: 'mongodb://localhost',
    REDIS_URL: 'redis://localhost',
    AMQP_URL: 'amqp://localhost',
    SIGNALS_URL: 'http://a',
    STATS_URL: 'http://a',
    WEBHOOKS_URL: 'http://a',
    IDENTITY_PRIVATE_KEY: testKeyPair().privateKey,
  };

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
