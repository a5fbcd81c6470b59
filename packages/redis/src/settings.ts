import { settings } from '@sigcast/runtime';
import { z } from 'zod';
import { parseRedisAddress } from './address.ts';
import type { RedisSettings } from './connect.ts';

/** The settings of whoever connects to Redis, for `readConfig`. */
export const redisSettings = {
  REDIS_URL: settings
    .checked(parseRedisAddress)
    .describe(
      'Address of Redis: `redis://host`, `redis-cluster://host,host` or `redis-sentinel://host,host/master`; `rediss…` for TLS.',
    ),
  REDIS_CA: settings.pem
    .optional()
    .describe('Certificates of the authorities that Redis is verified by, PEM; for `rediss…` addresses.'),
  REDIS_SENTINEL_PASSWORD: z
    .string()
    .optional()
    .describe('Password of the Sentinels, which is not that of Redis; only if they have one.'),
  // Braces would be a hash tag, which decides in which slot of a cluster a key is.
  REDIS_KEY_PREFIX: z
    .string()
    .max(60)
    .regex(/^[^{}]*$/, 'must not have braces')
    .default('')
    .describe('Put in front of every key, so that several systems can share one Redis.'),
};

/** What `connectRedis` needs, from settings that were read with `redisSettings`. */
export function redisFrom(config: Readonly<z.infer<z.ZodObject<typeof redisSettings>>>): RedisSettings {
  return {
    url: config.REDIS_URL,
    keyPrefix: config.REDIS_KEY_PREFIX,
    ca: config.REDIS_CA,
    sentinelPassword: config.REDIS_SENTINEL_PASSWORD,
  };
}
