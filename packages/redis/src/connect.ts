import type { Logger, Resources } from '@sigcast/runtime';
import type { RedisOptions } from 'ioredis';
import { parseRedisAddress, type RedisAddress } from './address.ts';
import { ClusterClient } from './cluster-client.ts';
import { ConnectionLog } from './connection-log.ts';
import { ServerClient } from './server-client.ts';

/** A call is given up after this long, so that Redis in trouble never holds a request up. */
const defaultTimeoutMs = 50;

/** A connection on which commands go unanswered this long is given up for a new one: its peer may be gone silently. */
const socketTimeoutMs = 2_000;

const connectTimeoutMs = 1_000;

/** Redirections a command follows; more than two mean that nodes disagree about who holds its slot. */
const maxRedirections = 3;

export type RedisSettings = {
  /** In one of the forms of `parseRedisAddress`. */
  readonly url: string;
  readonly keyPrefix: string;
  /** Certificate authorities to trust instead of the public ones, in PEM form. */
  readonly ca?: string | undefined;
  /** The password of the Sentinels themselves. */
  readonly sentinelPassword?: string | undefined;
  /** When a call is given up, 50 ms if absent. Tests of what a call does, not of what it costs, have more patience. */
  readonly timeoutMs?: number;
};

/** A connection to Redis: to one server, to the master that Sentinels name, or to a cluster. */
export type RedisClient = ServerClient | ClusterClient;

/**
 * Connects to Redis and registers the client for release. Resolves whether or not Redis answers:
 * without a connection a command fails at once (no offline queue), and the client reconnects by itself.
 * @throws {RedisAddressError} when the address can't be read.
 */
export function connectRedis(settings: RedisSettings, log: Logger, resources: Resources): RedisClient {
  const address = parseRedisAddress(settings.url);
  const redis =
    address.kind === 'cluster'
      ? connectCluster(address, settings, new ConnectionLog(log))
      : connectServer(address, settings, new ConnectionLog(log));
  resources.defer(() => redis.disconnect());
  return redis;
}

type At<Kind extends RedisAddress['kind']> = Extract<RedisAddress, { kind: Kind }>;

function connectServer(
  address: At<'single' | 'sentinel'>,
  settings: RedisSettings,
  log: ConnectionLog,
): ServerClient {
  const common = connectionOptions(address, settings);
  const target =
    address.kind === 'single'
      ? { ...address.host, db: address.db }
      : {
          sentinels: [...address.sentinels],
          name: address.master,
          enableTLSForSentinelMode: address.tls,
          sentinelCommandTimeout: connectTimeoutMs,
          ...(settings.sentinelPassword && { sentinelPassword: settings.sentinelPassword }),
          ...(common.tls && { sentinelTLS: common.tls }),
        };
  const name = address.kind === 'single' ? `${address.host.host}:${address.host.port}` : address.master;
  const redis = new ServerClient(name, settings.timeoutMs ?? defaultTimeoutMs, {
    ...common,
    ...target,
    keyPrefix: settings.keyPrefix,
    enableOfflineQueue: false,
    retryStrategy: reconnectDelayMs,
    // A master that became a replica: its successor is found by connecting anew.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  redis.on('ready', () => {
    redis.check().then(
      () => {
        log.works(name);
        log.connected(name);
      },
      (error: Error) => log.failed(name, error),
    );
  });
  redis.on('close', () => log.lost(name));
  redis.on('error', (error: Error) => log.failed(name, error));
  redis.on('sentinelError', (error: Error) => log.failed(`${name} (Sentinel)`, error));
  return redis;
}

function connectCluster(address: At<'cluster'>, settings: RedisSettings, log: ConnectionLog): ClusterClient {
  const redis = new ClusterClient([...address.hosts], settings.timeoutMs ?? defaultTimeoutMs, {
    redisOptions: connectionOptions(address, settings),
    keyPrefix: settings.keyPrefix,
    enableOfflineQueue: false,
    enableReadyCheck: false, // it asks one node; `check` asks each master
    clusterRetryStrategy: reconnectDelayMs,
    slotsRefreshTimeout: connectTimeoutMs,
    maxRedirections,
    // A call that a node in trouble refuses is not tried again: its time is short, and requests go on without.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 10, // while a slot moves from node to node
    dnsLookup: (host, done) => done(null, host), // certificates are made out for names, so those are kept
  });
  redis.on('+node', (node: { options: RedisOptions; on: (event: string, then: () => void) => unknown }) => {
    const server = `${node.options.host}:${node.options.port}`;
    node.on('ready', () => log.connected(server));
    node.on('close', () => log.lost(server));
  });
  redis.on('refresh', () => log.clusterWorks());
  redis.on('node error', (error: Error, server: string) => log.failed(server, error));
  redis.on('error', (error: Error) => log.failed('cluster', error));
  return redis;
}

function connectionOptions(address: RedisAddress, { ca }: RedisSettings) {
  const { user, password, tls } = address;
  return {
    ...(user && { username: user }),
    ...(password && { password }),
    ...(tls && { tls: ca === undefined ? {} : { ca } }),
    socketTimeout: socketTimeoutMs,
    connectTimeout: connectTimeoutMs,
    disconnectTimeout: 100, // a peer that hangs must not hold up the end of the process
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  };
}

function reconnectDelayMs(attempt: number): number {
  return Math.min(attempt * 50, 500);
}
