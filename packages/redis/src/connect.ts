import type { Logger, Resources } from '@sigcast/runtime';
import { type Command, Redis, type RedisOptions } from 'ioredis';

/** A call is given up after this long, so that Redis in trouble never holds a request up. */
const defaultTimeoutMs = 50;

/** A connection on which commands go unanswered this long is given up for a new one: its peer may be gone silently. */
const socketTimeoutMs = 2_000;

export type RedisSettings = {
  readonly url: string;
  readonly keyPrefix: string;
  /** When a call is given up, 50 ms if absent. Tests of what a call does, not of what it costs, have more patience. */
  readonly timeoutMs?: number;
};

/**
 * Connects to Redis and registers the client for release. Resolves whether or not Redis answers:
 * without a connection a command fails at once (no offline queue), and the client reconnects by itself.
 */
export function connectRedis(settings: RedisSettings, log: Logger, resources: Resources): Redis {
  const redis = new BoundedRedis(settings.url, settings.timeoutMs ?? defaultTimeoutMs, {
    keyPrefix: settings.keyPrefix,
    socketTimeout: socketTimeoutMs,
    connectTimeout: 1_000,
    disconnectTimeout: 100, // a peer that hangs must not hold up the end of the process
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

/**
 * Gives a call up when its answer has not come in time. Unlike ioredis' own `commandTimeout` it looks once more for
 * an answer before it does: after a pause of this process (garbage collection, a busy machine) overdue timers run
 * first, while the answers lie unread in the socket.
 */
class BoundedRedis extends Redis {
  readonly #timeoutMs: number;
  #gathering = false;

  constructor(url: string, timeoutMs: number, options: Omit<RedisOptions, 'replyMapping'>) {
    super(url, options);
    this.#timeoutMs = timeoutMs;
  }

  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    const timer = setTimeout(giveUpAfterReading, this.#timeoutMs, command);
    const clear = () => clearTimeout(timer);
    command.promise.then(clear, clear);
    this.#gatherWrites();
    return super.sendCommand(command, stream);
  }

  /** Commands of requests that arrived together leave in one write, once all of them have been read. */
  #gatherWrites(): void {
    const socket = this.stream;
    if (this.#gathering || this.status !== 'ready') return;
    this.#gathering = true;
    socket.cork();
    setImmediate(() => {
      this.#gathering = false;
      socket.uncork();
    });
  }
}

/** Sockets are read between timers and immediates. */
function giveUpAfterReading(command: Command): void {
  setImmediate(() => command.reject(new Error('Command timed out')));
}
