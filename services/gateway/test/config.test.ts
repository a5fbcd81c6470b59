import { describe, expect, it } from '@jest/globals';
import { testKeyPair } from '@sigcast/testing';
import { readGatewayConfig, readStoreConfig, redisSettings, serverLimits } from '../src/config.ts';

const read = (env: Record<string, string>) =>
  readStoreConfig({ MONGODB_URI: 'mongodb://localhost', REDIS_URL: 'redis://localhost', ...env });

describe('the settings of Redis', () => {
  it('are taken as they are when they make sense', () => {
    const settings = {
      REDIS_URL: 'rediss-cluster://:secret@a,b',
      REDIS_KEY_PREFIX: 'blue:',
      REDIS_SENTINEL_PASSWORD: 'other',
    };
    expect(redisSettings(read(settings))).toMatchObject({
      url: 'rediss-cluster://:secret@a,b',
      keyPrefix: 'blue:',
      sentinelPassword: 'other',
    });
  });

  it.each([
    [{ REDIS_URL: 'redis://a:hunter2,b' }, 'REDIS_URL: host 1 of 2 must be a name or address'],
    [{ REDIS_URL: 'redis-sentinel://a,b' }, 'REDIS_URL: must end with "/" and the name'],
    [{ REDIS_URL: 'http://a' }, 'REDIS_URL: must be redis://'],
    [{ REDIS_CA: 'hunter2' }, 'REDIS_CA: must be in PEM form'],
    // Hash tags decide where an account's keys are: all in one place, and accounts in many.
    [{ REDIS_KEY_PREFIX: '{hunter2}' }, 'REDIS_KEY_PREFIX: must not have braces'],
  ])('are refused with what is wrong, and without what was set: %j', (env, problem) => {
    expect(() => read(env)).toThrow(problem);
    expect(() => read(env)).not.toThrow('hunter2');
  });
});

describe('the silence after which a connection with a request in hand ends', () => {
  const required = {
    ...{ MONGODB_URI: 'mongodb://localhost', REDIS_URL: 'redis://localhost', AMQP_URL: 'amqp://localhost' },
    ...{ SIGNALS_URL: 'http://a', STATS_URL: 'http://a', WEBHOOKS_URL: 'http://a' },
    IDENTITY_PRIVATE_KEY: testKeyPair().privateKey,
  };

  it.each([
    ['UPSTREAM_HEADERS_TIMEOUT_MS', 50_000],
    ['UPSTREAM_IDLE_TIMEOUT_MS', 50_000],
    ['BODY_TIMEOUT_MS', 50_000],
    ['STALLED_CLIENT_TIMEOUT_MS', 50_000],
  ])('is longer than what %s gives it', (name, ms) => {
    const config = readGatewayConfig({ ...required, [name]: String(ms) });
    expect(serverLimits(config).silenceMs).toBe(ms + 5_000);
  });
});
