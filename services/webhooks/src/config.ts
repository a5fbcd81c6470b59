import { mongoSettings } from '@sigcast/mongo';
import {
  brokerShape,
  type Environment,
  metricsShape,
  readConfig,
  settings,
  shutdownSettings,
} from '@sigcast/runtime';
import { accessLogSettings, tracingSettings } from '@sigcast/telemetry';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { addressPolicy } from './sending/address-policy.ts';

const networks = z
  .string()
  .default('')
  .transform((text) => text.split(',').filter((part) => part !== ''))
  .refine(
    (list) => list.every((network) => ipaddr.isValidCIDR(network)),
    'must be networks such as 127.0.0.0/8',
  );

/** Ports and ranges of ports, each from its first to its last. */
const portRanges = z
  .string()
  .default('')
  .transform((text) => text.split(',').filter((part) => part !== ''))
  .refine(
    (list) => list.every((part) => /^\d{1,5}(-\d{1,5})?$/.test(part)),
    'must be ports such as 9443 or 9000-9099, separated by commas',
  )
  .transform((list) =>
    list.map((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return { first, last };
    }),
  )
  .refine(
    (list) => list.every(({ first, last }) => 1 <= first && first <= last && last <= 65_535),
    'must be ports from 1 to 65535, the first of a range before its last',
  );

const delays = z
  .string()
  .default('10000,60000,600000')
  .transform((text) => text.split(',').map(Number))
  .refine(
    (list) => list.every((ms) => Number.isInteger(ms) && ms >= 1 && ms <= 86_400_000),
    'must be whole milliseconds from 1 to 86400000, separated by commas',
  );

const store = mongoSettings('sigcast_webhooks');

const broker = {
  ...brokerShape,
  BROKER_NAMESPACE: z.string().max(60).default(''),
};

const common = {
  HOST: settings.host,
  LOG_LEVEL: settings.logLevel,
  ...tracingSettings,
  ...shutdownSettings,
  ...metricsShape,
  ...store,
  /** Lets subscriptions use plain http; for development. */
  WEBHOOK_ALLOW_HTTP: settings.flag,
  /** Networks in CIDR form whose addresses are permitted although they are not public; for development. */
  WEBHOOK_ALLOWED_NETWORKS: networks,
  /** Ports that subscriptions may use besides the usual ones. */
  WEBHOOK_PORTS: portRanges,
  /** Ports of the system's own processes, which are refused in the networks above; for development. */
  WEBHOOK_OWN_PORTS: portRanges,
};

/** The address policy of both processes. */
export function addressPolicyOf(config: ReturnType<typeof readApiConfig | typeof readWorkerConfig>) {
  return addressPolicy({
    allowHttp: config.WEBHOOK_ALLOW_HTTP,
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    ports: config.WEBHOOK_PORTS,
    ownPorts: config.WEBHOOK_OWN_PORTS,
  });
}

/** The settings of the api process. @throws {ConfigError} that names every wrong setting. */
export function readApiConfig(env: Environment) {
  return readConfig(
    {
      ...common,
      PORT: settings.port(8083),
      ...accessLogSettings(),
      GATEWAY_PUBLIC_KEYS: settings.pem,
      /** How long a stream may be silent before it sends a heartbeat; the gateway ends a stream after 30 s of silence. */
      STREAM_HEARTBEAT_MS: settings.integer(15_000, 100, 20_000),
      /** The longest life of a stream. */
      STREAM_MAX_LIFE_MS: settings.integer(900_000, 1_000, 86_400_000),
    },
    env,
  );
}

/** The settings of the worker process. @throws {ConfigError} that names every wrong setting. */
export function readWorkerConfig(env: Environment) {
  return readConfig(
    {
      ...common,
      PORT: settings.port(8084),
      ...broker,
      /** Pauses before each retry; their number is the number of retries. */
      WEBHOOK_RETRY_DELAYS_MS: delays,
      /** The most attempts of one subscription at once; its endpoint's answers decide how many of them it gets. */
      WEBHOOK_MAX_IN_FLIGHT: settings.integer(50, 1, 1_000),
      /** The most attempts of one worker at once at one host, over all accounts. */
      WEBHOOK_MAX_IN_FLIGHT_PER_HOST: settings.integer(500, 1, 50_000),
      /** The most attempts of one worker at once: some 20 kB of memory each. */
      WEBHOOK_MAX_IN_FLIGHT_PER_WORKER: settings.integer(4_000, 1, 50_000),
    },
    env,
  );
}

/** The settings of the store, for operator commands. @throws {ConfigError} that names every wrong setting. */
export function readStoreConfig(env: Environment) {
  return readConfig(store, env);
}

/** The settings of the broker, for operator commands. @throws {ConfigError} that names every wrong setting. */
export function readBrokerConfig(env: Environment) {
  return readConfig(broker, env);
}
