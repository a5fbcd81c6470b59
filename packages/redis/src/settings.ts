import { settings } from '@sigcast/runtime';
import { z } from 'zod';
import { parseRedisAddress } from './address.ts';
import type { RedisSettings } from './connect.ts';

/** The settings of whoever connects to Redis, for `readConfig`. */
export const redisSettings = {
  REDIS_URL: settings.checked(parseRedisAddress),
  /** Authorities to trust instead of the system's, in PEM form. */
  REDIS_CA: settings.pem.optional(),
  /** The password of the Sentinels themselves. */
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
  // Braces would be a hash tag, which decides in which slot of a cluster a key is.
  REDIS_KEY_PREFIX: z
    .string()
    .max(60)
    .regex(/^[^{}]*$/, 'must not have braces')
    .default(''),
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
