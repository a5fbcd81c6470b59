import { mongoSettings } from '@sigcast/mongo';
import { parseRedisAddress, type RedisSettings } from '@sigcast/redis';
import { brokerShape, type Environment, readConfig, settings, shutdownSettings } from '@sigcast/runtime';
import { z } from 'zod';

const upstreamAddress = settings.url('http:', 'https:').transform((text) => new URL(text).origin);

/** One address or several, separated by commas; only scheme, host and port count. */
const upstreams = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  .pipe(z.array(upstreamAddress).min(1, 'must name at least one address'));

/** Without a slash at its end. */
const publicAddress = settings
  .url('http:', 'https:')
  .refine((text) => !/[?#@]/.test(text), 'must be an address without a user, a query or a fragment')
  .transform((text) => text.replace(/\/+$/, ''));

const databaseShape = mongoSettings('sigcast_gateway');

const storeShape = {
  ...databaseShape,
  REDIS_URL: settings.checked(parseRedisAddress),
  REDIS_CA: settings.pem.optional(),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
  // On a cluster, what is in braces decides where a key is.
  REDIS_KEY_PREFIX: z
    .string()
    .max(60)
    .regex(/^[^{}]*$/, 'must not have braces')
    .default(''),
};

const shape = {
  HOST: settings.host,
  PORT: settings.port(8080),
  LOG_LEVEL: settings.logLevel,
  ...shutdownSettings,
  ...storeShape,
  ...brokerShape,
  BROKER_NAMESPACE: settings.name(''),
  IDENTITY_PRIVATE_KEY: settings.pem,
  GATEWAY_PUBLIC_KEYS: settings.pem.optional(),
  SIGNALS_URL: upstreams,
  STATS_URL: upstreams,
  WEBHOOKS_URL: upstreams,
  UPSTREAM_CONNECT_TIMEOUT_MS: settings.integer(1_000, 10, 60_000),
  UPSTREAM_HEADERS_TIMEOUT_MS: settings.integer(10_000, 10, 300_000),
  UPSTREAM_IDLE_TIMEOUT_MS: settings.integer(30_000, 10, 300_000),
  TRUST_PROXY: settings.flag,
  PUBLIC_URL: publicAddress.optional(),
  DASHBOARD_DIR: z.string().min(1).optional(),
  METRICS_HOST: settings.host,
  METRICS_PORT: settings.optionalPort,
};

/** How to reach Redis, as the settings say. */
export function redisSettings(config: ReturnType<typeof readStoreConfig>): RedisSettings {
  return {
    url: config.REDIS_URL,
    keyPrefix: config.REDIS_KEY_PREFIX,
    ca: config.REDIS_CA,
    sentinelPassword: config.REDIS_SENTINEL_PASSWORD,
  };
}

/** The gateway's settings. @throws {ConfigError} naming every one that is wrong. */
export function readGatewayConfig(env: Environment) {
  return readConfig(shape, env);
}

/** Where the database is, for making its indexes. @throws {ConfigError} naming every setting that is wrong. */
export function readDatabaseConfig(env: Environment) {
  return readConfig(databaseShape, env);
}

/** Where operator commands find accounts and keys. @throws {ConfigError} naming every setting that is wrong. */
export function readStoreConfig(env: Environment) {
  return readConfig(storeShape, env);
}

/** What operator commands sign service tokens with. @throws {ConfigError} when it is missing or wrong. */
export function readSigningConfig(env: Environment) {
  return readConfig({ OPERATOR_PRIVATE_KEY: settings.pem }, env);
}
