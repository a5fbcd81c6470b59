import type { IncomingMessage } from 'node:http';
import { ByteBudget } from '@sigcast/http';
import { mongoSettings } from '@sigcast/mongo';
import { redisSettings } from '@sigcast/redis';
import {
  brokerShape,
  type Environment,
  metricsShape,
  readConfig,
  settings,
  shutdownSettings,
} from '@sigcast/runtime';
import { accessLogSettings, tracingSettings } from '@sigcast/telemetry';
import { z } from 'zod';
import { isApiTarget } from './domain/api-routes.ts';
import { countedAddress } from './domain/client-address.ts';

/** The most bytes of a request's line and headers. Services accept more, because the gateway adds headers. */
const maxHeadBytes = 16_384;
/** How long a request's line and headers may take to arrive, in milliseconds. `BODY_TIMEOUT_MS` is added for the body. */
const headTimeoutMs = 10_000;

const upstreamAddress = settings.url('http:', 'https:').transform((text) => new URL(text).origin);

/** One URL or several, separated by commas. Of each only scheme, host and port are used. */
const upstreams = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  .pipe(z.array(upstreamAddress).min(1, 'must name at least one address'));

const databaseShape = mongoSettings('sigcast_gateway');

const storeShape = { ...databaseShape, ...redisSettings };

const shape = {
  HOST: settings.host,
  PORT: settings.port(8080),
  LOG_LEVEL: settings.logLevel,
  // A line for each hundredth request takes some 3 % of what the process carries (`bench gateway`, full load).
  ...accessLogSettings(0.01),
  ...tracingSettings,
  ...shutdownSettings,
  ...storeShape,
  ...brokerShape,
  BROKER_NAMESPACE: settings.name(''),
  IDENTITY_PRIVATE_KEY: settings.pem,
  GATEWAY_PUBLIC_KEYS: settings.pem.optional(),
  SIGNALS_URL: upstreams,
  STATS_URL: upstreams,
  WEBHOOKS_URL: upstreams,
  /** Without it there is no history of signals. */
  TRACKER_URL: upstreams.optional(),
  UPSTREAM_CONNECT_TIMEOUT_MS: settings.integer(1_000, 10, 60_000),
  UPSTREAM_HEADERS_TIMEOUT_MS: settings.integer(10_000, 10, 300_000),
  UPSTREAM_IDLE_TIMEOUT_MS: settings.integer(30_000, 10, 300_000),
  TRUST_PROXY: settings.flag,
  PUBLIC_URL: settings.baseUrl.optional(),
  /** Over all clients. Fewer for one network; see `rules.ts`. */
  SIGN_UPS_PER_HOUR: settings.integer(1_000, 1, 1_000_000),
  REQUIRE_VERIFIED_EMAIL: settings.flag,
  /** How long a client may take to send a body, and how long it may read nothing of an answer. */
  BODY_TIMEOUT_MS: settings.integer(10_000, 10, 60_000),
  /** All bodies of requests that are not yet answered. */
  BODIES_MAX_BYTES: settings.integer(32_000_000, 1_000_000, 10_000_000_000),
  /** What clients have not yet taken of answers. */
  PENDING_ANSWERS_MAX_BYTES: settings.integer(64_000_000, 1_000_000, 10_000_000_000),
  STALLED_CLIENT_TIMEOUT_MS: settings.integer(30_000, 10, 300_000),
  /** Requests open in this process: admitted, and their answer not yet read completely. */
  OPEN_REQUESTS_PER_ACCOUNT: settings.integer(100, 1, 100_000),
  OPEN_REQUESTS_PER_ADDRESS: settings.integer(1_000, 1, 100_000),
  /** Not used with `TRUST_PROXY`: behind a proxy all connections come from its address. */
  CONNECTIONS_PER_ADDRESS: settings.integer(2_000, 1, 100_000),
  /** In this process, over all accounts. */
  STREAM_MAX_PER_ADDRESS: settings.integer(200, 1, 100_000),
  DASHBOARD_DIR: z.string().min(1).optional(),
  ...metricsShape,
};

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

function isApiRequest({ url = '' }: IncomingMessage): boolean {
  return isApiTarget(url);
}

/** The limits of the gateway's server on slow clients and on many connections. */
export function serverLimits(config: ReturnType<typeof readGatewayConfig>) {
  return {
    maxHeadBytes,
    requestTimeoutMs: headTimeoutMs + config.BODY_TIMEOUT_MS,
    // Longer than any wait for an answer, a body or a client, and than the pauses of a stream.
    silenceMs:
      Math.max(
        config.UPSTREAM_HEADERS_TIMEOUT_MS,
        config.UPSTREAM_IDLE_TIMEOUT_MS,
        config.BODY_TIMEOUT_MS,
        config.STALLED_CLIENT_TIMEOUT_MS,
      ) + 5_000,
    ...(!config.TRUST_PROXY && {
      connections: { perAddress: config.CONNECTIONS_PER_ADDRESS, nameOf: countedAddress },
    }),
    bodies: { budget: new ByteBudget(config.BODIES_MAX_BYTES), timeoutMs: config.BODY_TIMEOUT_MS },
    countsItself: isApiRequest,
  };
}
