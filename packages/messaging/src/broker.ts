import { unavailable } from '@sigcast/contracts';
import { keepDoing, type Logger, LogThrottle, type Resources, waitAtMost } from '@sigcast/runtime';
import type { Channel, ChannelModel } from 'amqplib';
import type { Registry } from 'prom-client';
import {
  type BrokerAddresses,
  isNotFound,
  keepConnected,
  type ManagedConnection,
  unlessAborted,
} from './connection.ts';
import { type Consumer, type ConsumerOptions, type FollowingConsumer, startConsumer } from './consumer.ts';
import { FailingQueues } from './failing-queues.ts';
import { type BrokerMetrics, brokerMetrics } from './metrics.ts';
import { type OutgoingMessage, Publisher } from './publisher.ts';
import { publishTraced } from './traced.ts';

/**
 * Declares exchanges, queues and bindings. Runs on every (re)connection and every few seconds, so that what was deleted is
 * there again. So it must be idempotent. When the broker says that something does not exist, which closes the channel, it
 * runs again on another one, with an instant before this was found.
 */
export type DeclareTopology = (channel: Channel, missingBy?: Date) => Promise<void>;

type BrokerSettings = BrokerAddresses & {
  /** Shown in the broker's list of connections. */
  readonly name: string;
  /** Of a publisher, which alone declares its topology. The functions run concurrently, each on its own channel: on one channel, a request waits for the answer to the one before. */
  readonly declare?: readonly DeclareTopology[];
  /** How often `declare` runs while connected, in milliseconds; 5 s unless given. */
  readonly declareEveryMs?: number;
  /** The registry of the broker's metrics; without one nothing is measured. */
  readonly registry?: Registry;
};

/** Connections to RabbitMQ that are made again when they are lost, with their topology, publisher and consumers. */
export type Broker = {
  /**
   * Publishes a persistent message and resolves when the broker has it in a queue.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when it is unroutable, refused, not confirmed within 5 s, or there is no connection.
   */
  publish(message: OutgoingMessage): Promise<void>;
  /** Consumes from a queue until the consumer is closed, also after reconnections. */
  consume(options: ConsumerOptions): Promise<Consumer>;
  /**
   * Runs `work` on a channel of its own, to inspect queues.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when there is no connection, or when it is lost meanwhile.
   */
  withChannel<T>(work: (channel: Channel) => Promise<T>): Promise<T>;
  readonly connected: boolean;
  /** For readiness: rejects with the reason when there is no connection, publishing is blocked, or a queue fails. */
  checkUsable(): Promise<void>;
  /**
   * For readiness: rejects while the broker refuses user or password, and has not accepted them since the start. A service
   * that works without the broker stays ready when the password is changed later.
   */
  checkCredentials(): Promise<void>;
};

/** How long to wait for the first connections, and for a consumer to begin, in milliseconds. */
const firstTryTimeoutMs = 3_000;

/**
 * Connects to RabbitMQ, with one connection to publish and one to consume, which `resources` close. A broker that is short of
 * memory stops reading from connections that publish (RabbitMQ: Memory Alarms), and a consumer that breaks its connection
 * does not break publishing.
 *
 * Resolves when connected, or after 3 s without a broker. Then the service works without the broker, is not ready, and
 * connects when the broker is there.
 */
export async function connectBroker(
  { declare = [], declareEveryMs = 5_000, registry, ...settings }: BrokerSettings,
  log: Logger,
  resources: Resources,
): Promise<Broker> {
  const logThrottle = new LogThrottle();
  const failing = new FailingQueues(log, logThrottle);
  const publisher = new Publisher(failing, () => publishing.abandon('it confirms nothing'));
  const consumers = new Set<FollowingConsumer>();
  const declareOne = async (model: ChannelModel, each: DeclareTopology) => {
    const before = new Date();
    await onChannel(model, log, (channel) => each(channel)).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      return onChannel(model, log, (channel) => each(channel, before));
    });
  };
  const declareAll = async (model: ChannelModel) => {
    await Promise.all(declare.map((each) => declareOne(model, each)));
  };
  const isConnected = () => canPublish && current !== undefined;
  const metrics = brokerMetrics(registry, () => ({
    connected: isConnected(),
    blocked: publisher.blocked,
    failing: failing.names.length,
  }));
  /** Counts a publication. A failure to count does not fail the publication. */
  const recordPublication: BrokerMetrics['published'] = (...publication) => {
    try {
      metrics.published(...publication);
    } catch (err) {
      log.error({ err }, 'broker: a publication could not be counted');
    }
  };
  let canPublish = false;
  /** The consuming connection: set when its topology is declared, unset when the connection is lost. */
  let current: { readonly model: ChannelModel; readonly lost: AbortController } | undefined;

  const publishing: ManagedConnection = keepConnected({
    ...settings,
    name: `${settings.name} (publishing)`,
    log,
    logThrottle,
    setup: async (model) => {
      model.on('blocked', (reason: string) => {
        publisher.block(true);
        log.warn({ reason }, 'broker: publishing is blocked');
      });
      model.on('unblocked', () => {
        publisher.block(false);
        log.info('broker: publishing goes on');
      });
      await declareAll(model);
      await publisher.open(model);
    },
    ready: () => {
      canPublish = true;
    },
    lost: () => {
      metrics.lost();
      canPublish = false;
      publisher.lost();
    },
  });
  resources.defer(() => publishing.close());
  const consuming = keepConnected({
    ...settings,
    name: `${settings.name} (consuming)`,
    log,
    logThrottle,
    setup: declareAll,
    ready: (model) => {
      current = { model, lost: new AbortController() };
      // In the same tick as the line above, so that a consumer added later does not follow twice.
      for (const consumer of consumers) void consumer.follow(model);
    },
    lost: () => {
      metrics.lost();
      current?.lost.abort();
      current = undefined;
    },
  });
  resources.defer(() => consuming.close());
  // One by one: a queue without its majority never answers, which must not keep the others from being declared.
  for (const each of declare) {
    keepDoing(async (stopping) => {
      if (current) {
        const ended = AbortSignal.any([stopping, current.lost.signal]);
        await unlessAborted(ended, declareOne(current.model, each)).catch((err: unknown) => {
          if (!ended.aborted) log.warn({ err }, 'broker: a queue could not be declared again');
        });
      }
      return declareEveryMs;
    }, resources);
  }

  await waitAtMost(firstTryTimeoutMs, Promise.all([publishing.firstConnected, consuming.firstConnected]));

  return {
    publish: async (message) => {
      const startedAt = performance.now();
      const destination = message.exchange || message.routingKey;
      try {
        await publishTraced(message, publisher);
      } catch (error) {
        recordPublication(destination, startedAt, error);
        throw error;
      }
      recordPublication(destination, startedAt);
    },
    consume: async (options) => {
      const consumer = startConsumer({
        ...options,
        log,
        publisher,
        failing,
        metrics,
        isCurrent: (model) => model === current?.model,
      });
      consumers.add(consumer);
      resources.defer(() => consumer.close());
      // If the connection is lost meanwhile, the consumer follows the next one. The wait for a silent queue is bounded.
      if (current) {
        const begun = unlessAborted(current.lost.signal, consumer.follow(current.model));
        await waitAtMost(firstTryTimeoutMs, begun).catch(() => undefined);
      }
      return {
        close: async () => {
          consumers.delete(consumer);
          await consumer.close();
        },
      };
    },
    withChannel: async (work) => {
      if (!current) throw unavailable('The message broker');
      return unlessAborted(current.lost.signal, onChannel(current.model, log, work));
    },
    get connected() {
      return isConnected();
    },
    checkUsable: async () => {
      if (!isConnected()) throw new Error('no connection to the broker');
      if (publisher.blocked) throw new Error('the broker has blocked publishing');
      if (failing.names.length > 0) throw new Error(`failing: ${failing.names.join(', ')}`);
    },
    checkCredentials: async () => {
      if (publishing.refused || consuming.refused) throw new Error('the broker refuses user or password');
    },
  };
}

/** Runs `work` on a channel of its own, since an error closes its channel. */
async function onChannel<T>(
  model: ChannelModel,
  log: Logger,
  work: (channel: Channel) => Promise<T>,
): Promise<T> {
  const channel = await model.createChannel();
  channel.on('error', (err: Error) => log.debug({ err }, 'broker: channel'));
  try {
    return await work(channel);
  } finally {
    await channel.close().catch(() => undefined); // it is closed already after an error
  }
}
