import { type Environment, readConfig } from '@sigcast/runtime';
import { describe, expect, it } from 'vitest';
import { redisFrom, redisSettings } from '../src/index.ts';

const read = (env: Environment) =>
  redisFrom(readConfig(redisSettings, { REDIS_URL: 'redis://localhost', ...env }));

describe('the settings of Redis', () => {
  it('settings of Redis are read as they are', () => {
    const env = {
      REDIS_URL: 'rediss-cluster://:secret@a,b',
      REDIS_CA: '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----',
      REDIS_KEY_PREFIX: 'blue:',
      REDIS_SENTINEL_PASSWORD: 'other',
    };
    expect(read(env)).toEqual({
      url: 'rediss-cluster://:secret@a,b',
      ca: env.REDIS_CA,
      keyPrefix: 'blue:',
      sentinelPassword: 'other',
    });
  });

  it('settings of Redis need an address, and the key prefix is empty by default', () => {
    expect(read({})).toEqual({ url: 'redis://localhost', keyPrefix: '' });
    expect(() => read({ REDIS_URL: '' })).toThrow('REDIS_URL: is required');
  });

  it.each([
    [{ REDIS_URL: 'redis://a:hunter2,b' }, 'REDIS_URL: host 1 of 2 must be a name or address'],
    [{ REDIS_URL: 'redis-sentinel://a,b' }, 'REDIS_URL: must end with "/" and the name'],
    [{ REDIS_URL: 'http://a' }, 'REDIS_URL: must be redis://'],
    [{ REDIS_CA: 'hunter2' }, 'REDIS_CA: must be in PEM form'],
    // Braces would put the keys of all accounts into one slot.
    [{ REDIS_KEY_PREFIX: '{hunter2}' }, 'REDIS_KEY_PREFIX: must not have braces'],
  ])('settings of Redis are refused with what is wrong, and without their values: %j', (env, problem) => {
    expect(() => read(env)).toThrow(problem);
    expect(() => read(env)).not.toThrow('hunter2');
  });
});
