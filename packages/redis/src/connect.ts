import type { Logger, Resources } from '@sigcast/runtime';
import { Redis } from 'ioredis';

/** A Redis call is given up after this long, so that Redis in trouble never holds a request up. */
const commandTimeoutMs = 50;

/** A connection on which commands go unanswered this long is given up for a new one: its peer may be gone silently. */
const socketTimeoutMs = 2_000;

export type RedisSettings = { readonly url: string; readonly keyPrefix: string };

/**
 * Connects to Redis and registers the client for release. Resolves whether or not Redis answers:
 * without a connection a command fails at once (no offline queue), and the client reconnects by itself.
 */
export function connectRedis(settings: RedisSettings, log: Logger, resources: Resources): Redis {
  const redis = new Redis(settings.url, {
    keyPrefix: settings.keyPrefix,
    commandTimeout: commandTimeoutMs,
    socketTimeout: socketTimeoutMs,
    connectTimeout: 1_000,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, 500),
  });
  let connected = false;
  redis.on('ready', () => {
    connected = true;
    log.info('redis: connected');
  });
  redis.on('error', (err) => log.debug({ err }, 'redis'));
  redis.on('close', () => {
    if (connected) log.warn('redis: connection lost');
    connected = false;
  });
  resources.defer(() => redis.disconnect());
  return redis;
}
