import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..', '..');

/** The names of the system's own processes, in the order in which they start. */
export const processNames = [
  'signals',
  'stats',
  'webhooks-api',
  'webhooks-worker',
  'tracker',
  'gateway',
] as const;
export type ProcessName = (typeof processNames)[number];

const entries: Record<ProcessName, string> = {
  signals: 'services/signals/src/main.ts',
  stats: 'services/stats/src/main.ts',
  'webhooks-api': 'services/webhooks/src/main-api.ts',
  'webhooks-worker': 'services/webhooks/src/main-worker.ts',
  tracker: 'services/tracker/src/main.ts',
  gateway: 'services/gateway/src/main.ts',
};

/** The file that runs a process of the system, of these sources unless others are named. */
export function entryOf(name: ProcessName, sources = root): string {
  return join(sources, entries[name]);
}

/** The services that have operator commands. */
export const operatedServices = ['gateway', 'signals', 'stats', 'webhooks', 'tracker'] as const;
export type OperatedService = (typeof operatedServices)[number];

/** The file that runs a service's operator commands. */
export function operatorEntryOf(service: OperatedService): string {
  return join(root, `services/${service}/src/operator.ts`);
}

/** Where the stores and the broker are, and names that keep several systems on them apart. */
export type SystemStores = {
  readonly mongodbUri: string;
  readonly redisUrl: string;
  readonly amqpUrl: string;
  /** In front of every broker object, Redis key and database; '' for the one system of a machine. */
  readonly namespace: string;
};

/** Files that hold the key pairs services know each other by. */
type KeyFiles = {
  readonly gatewayPrivate: string;
  readonly gatewayPublic: string;
  readonly operatorPrivate: string;
  readonly operatorPublic: string;
};

/** The key files that `keys generate --out dir` writes. */
export function keyFilesIn(dir: string): KeyFiles {
  return {
    gatewayPrivate: join(dir, 'gateway-identity.private.pem'),
    gatewayPublic: join(dir, 'gateway-identity.public.pem'),
    operatorPrivate: join(dir, 'operator.private.pem'),
    operatorPublic: join(dir, 'operator.public.pem'),
  };
}

export type Ports = Readonly<Record<ProcessName, number>>;

/** Where each process shows its metrics. */
type MetricsPorts = Readonly<Record<`${ProcessName}-metrics`, number>>;

export const metricsNames = processNames.map((name) => `${name}-metrics` as const);

/** Everything a process of the system has in its environment besides PATH. */
export function environmentOf(
  name: ProcessName,
  system: {
    stores: SystemStores;
    keys: KeyFiles;
    ports: Ports & MetricsPorts;
    host: string;
    overrides?: Readonly<Record<string, string>>;
  },
): Record<string, string> {
  const { stores, keys, ports, host } = system;
  const service = name.split('-')[0] ?? name;
  const database = stores.namespace === '' ? `sigcast_${service}` : `${stores.namespace}_${service}`;
  const common = {
    HOST: host,
    PORT: String(ports[name]),
    METRICS_HOST: host,
    METRICS_PORT: String(ports[`${name}-metrics`]),
    // Nobody balances between processes of one machine; a stop is over in 10 s.
    SHUTDOWN_DELAY_MS: '0',
    SHUTDOWN_TIMEOUT_MS: '8000',
    MONGODB_URI: stores.mongodbUri,
    MONGODB_DATABASE: database,
    GATEWAY_PUBLIC_KEYS_FILE: keys.gatewayPublic,
    AMQP_URL: stores.amqpUrl,
    BROKER_NAMESPACE: stores.namespace,
  };
  // A receiver on one's own machine is what a developer has: plain http and loopback are let through here only.
  const development = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' };
  const url = (target: ProcessName) => `http://${host}:${ports[target]}`;
  const own: Record<ProcessName, Record<string, string>> = {
    signals: { OPERATOR_PUBLIC_KEYS_FILE: keys.operatorPublic },
    stats: {},
    'webhooks-api': development,
    'webhooks-worker': development,
    tracker: {},
    gateway: {
      REDIS_URL: stores.redisUrl,
      REDIS_KEY_PREFIX: stores.namespace === '' ? '' : `${stores.namespace}:`,
      IDENTITY_PRIVATE_KEY_FILE: keys.gatewayPrivate,
      OPERATOR_PRIVATE_KEY_FILE: keys.operatorPrivate,
      SIGNALS_URL: url('signals'),
      STATS_URL: url('stats'),
      WEBHOOKS_URL: url('webhooks-api'),
      TRACKER_URL: url('tracker'),
      PUBLIC_URL: url('gateway'),
    },
  };
  return { ...common, ...own[name], ...system.overrides };
}
