import { join } from 'node:path';
import { rememberedPorts } from '../ports.ts';
import type { BrokerUser, RedisUser } from '../store-users/users.ts';

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

/** The file that runs a process of the system. `sources` is the repository. Default: this one. */
export function entryOf(name: ProcessName, sources = root): string {
  return join(sources, entries[name]);
}

/** The services that have operator commands. */
export const operatedServices = ['gateway', 'signals', 'stats', 'webhooks', 'tracker', 'scanner'] as const;
export type OperatedService = (typeof operatedServices)[number];

/** The file that runs a service's operator commands. */
export function operatorEntryOf(service: OperatedService): string {
  return join(root, `services/${service}/src/operator.ts`);
}

/** The module that exports a service's operator commands as a function, `runOperator`. */
export function operatorRunOf(service: OperatedService): string {
  return join(root, `services/${service}/src/operator/run.ts`);
}

/** The addresses of the stores and the broker, and the namespace that keeps several systems on them apart. */
export type SystemStores = {
  readonly mongodbUri: string;
  readonly redisUrl: string;
  readonly amqpUrl: string;
  /** The addresses for the users of the services, where the stores have such users. */
  readonly urlOf?: {
    readonly redis: (user: RedisUser) => string;
    readonly amqp: (user: BrokerUser) => string;
  };
  /** Ports of the stores and the broker besides those in their addresses, such as PostgreSQL's. */
  readonly furtherPorts?: readonly number[];
  /** Stands in front of the name of every broker object, Redis key and database. Empty for the only system. */
  readonly namespace: string;
};

/** The files of the key pairs that sign and verify identity tokens and service tokens, and of the keys that seal secrets and sign the log. */
type KeyFiles = {
  readonly gatewayPrivate: string;
  readonly gatewayPublic: string;
  readonly operatorPrivate: string;
  readonly operatorPublic: string;
  readonly gatewaySeal: string;
  readonly webhookSeal: string;
  readonly logPrivate: string;
};

/** The key files that `keys generate --out dir` writes. */
export function keyFilesIn(dir: string): KeyFiles {
  return {
    gatewayPrivate: join(dir, 'gateway-identity.private.pem'),
    gatewayPublic: join(dir, 'gateway-identity.public.pem'),
    operatorPrivate: join(dir, 'operator.private.pem'),
    operatorPublic: join(dir, 'operator.public.pem'),
    gatewaySeal: join(dir, 'gateway-seal.keys'),
    webhookSeal: join(dir, 'webhook-seal.keys'),
    logPrivate: join(dir, 'log-signing.private.pem'),
  };
}

export type Ports = Readonly<Record<ProcessName, number>>;

/** The port of each process's metrics. */
type MetricsPorts = Readonly<Record<`${ProcessName}-metrics`, number>>;

export const metricsNames = processNames.map((name) => `${name}-metrics` as const);

/** The ports of poller, scanner and simulated market, which start after the system. */
export function marketPorts(dataDir: string, host: string) {
  const names = ['market', 'tracker-poller', 'tracker-poller-metrics', 'scanner', 'scanner-metrics'] as const;
  return rememberedPorts(join(dataDir, 'market-ports.json'), names, host);
}

/** The ports of stores and broker: those that the addresses name, and those that they may leave out. */
function storePorts({ mongodbUri, redisUrl, amqpUrl, furtherPorts = [] }: SystemStores): string[] {
  const named = [...`${mongodbUri},${redisUrl},${amqpUrl}`.matchAll(/:(\d+)(?=[/,?]|$)/g)];
  return [...named.map(([, port = '']) => port), ...furtherPorts.map(String), '27017', '6379', '5672'];
}

/** The environment of a process of the system, without PATH. */
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
  const service = name.split('-')[0] as Exclude<OperatedService, 'scanner'>;
  const database = stores.namespace === '' ? `sigcast_${service}` : `${stores.namespace}_${service}`;
  const common = {
    HOST: host,
    PORT: String(ports[name]),
    METRICS_HOST: host,
    METRICS_PORT: String(ports[`${name}-metrics`]),
    // There is no load balancer that has to notice the stop. A stop is over in 10 s.
    SHUTDOWN_DELAY_MS: '0',
    SHUTDOWN_TIMEOUT_MS: '8000',
    MONGODB_URI: stores.mongodbUri,
    MONGODB_DATABASE: database,
    GATEWAY_PUBLIC_KEYS_FILE: keys.gatewayPublic,
    AMQP_URL: stores.urlOf?.amqp(service) ?? stores.amqpUrl,
    BROKER_NAMESPACE: stores.namespace,
  };
  const webhooks = {
    WEBHOOK_SEAL_KEYS_FILE: keys.webhookSeal,
    // A developer's receiver runs on the same machine, at a port that any user may have. Only here are plain http and loopback
    // addresses allowed.
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    WEBHOOK_PORTS: '1024-65535',
    WEBHOOK_OWN_PORTS: [...Object.values(ports), ...storePorts(stores)].join(','),
  };
  const url = (target: ProcessName) => `http://${host}:${ports[target]}`;
  const own: Record<ProcessName, Record<string, string>> = {
    signals: { OPERATOR_PUBLIC_KEYS_FILE: keys.operatorPublic },
    stats: {},
    'webhooks-api': webhooks,
    'webhooks-worker': { ...webhooks, PUBLIC_URL: url('gateway') },
    tracker: { LOG_ORIGIN: 'localhost/log', LOG_PRIVATE_KEYS_FILE: keys.logPrivate },
    gateway: {
      REDIS_URL: stores.urlOf?.redis('gateway') ?? stores.redisUrl,
      REDIS_KEY_PREFIX: stores.namespace === '' ? '' : `${stores.namespace}:`,
      IDENTITY_PRIVATE_KEY_FILE: keys.gatewayPrivate,
      GATEWAY_SEAL_KEYS_FILE: keys.gatewaySeal,
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
