import type { Logger, Resources } from '@sigcast/runtime';
import type { RedisOptions } from 'ioredis';
import { parseRedisAddress, type RedisAddress } from './address.ts';
import { ClusterClient } from './cluster-client.ts';
import { ConnectionLog } from './connection-log.ts';
import { ServerClient } from './server-client.ts';

/** The timeout of a call, in milliseconds. Short, so that a slow Redis never delays a request. */
const defaultTimeoutMs = 50;

/** A connection without an answer for this long is replaced, in milliseconds: its peer may be gone silently. */
const socketTimeoutMs = 2_000;

const connectTimeoutMs = 1_000;

/** Redirections that a command follows. More than two mean that nodes disagree about the slot's master. */
const maxRedirections = 3;

/** Where Redis is, and how to connect. */
export type RedisSettings = {
  /** In one of the forms of `parseRedisAddress`. */
  readonly url: string;
  readonly keyPrefix: string;
  /** Certificate authorities to trust instead of the system's, in PEM form. */
  readonly ca?: string | undefined;
  /** The password of the Sentinels themselves. */
  readonly sentinelPassword?: string | undefined;
  /** The timeout of a call, 50 ms if absent. Tests that do not measure time set a longer one. */
  readonly timeoutMs?: number;
};

/** A client of one server, of the master that Sentinels name, or of a cluster. */
export type RedisClient = ServerClient | ClusterClient;

/**
 * Connects to Redis and registers the client for release. Returns at once, whether or not Redis answers. Without a
 * connection a command fails at once (no offline queue), and the client reconnects by itself.
 * @throws {RedisAddressError} when the address is wrong.
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
    // The master has become a replica. Connecting again finds its successor.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  redis.on('ready', () => {
    redis.check().then(
      () => {
        log.usable(name);
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
    // A refused call is not tried again: its timeout is short, and requests go on without Redis.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 10, // while a slot moves from node to node
    dnsLookup: (host, done) => done(null, host), // keeps host names, which certificates are issued for
  });
  redis.on('+node', (node: { options: RedisOptions; on: (event: string, then: () => void) => unknown }) => {
    const server = `${node.options.host}:${node.options.port}`;
    node.on('ready', () => log.connected(server));
    node.on('close', () => log.lost(server));
  });
  redis.on('refresh', () => log.clusterUsable());
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
    disconnectTimeout: 100, // a peer that hangs must not delay the end of the process
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  };
}

function reconnectDelayMs(attempt: number): number {
  return Math.min(attempt * 50, 500);
}
