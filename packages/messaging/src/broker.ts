import { unavailable } from '@sigcast/contracts';
import { type Logger, type Resources, waitAtMost } from '@sigcast/runtime';
import type { Channel, ChannelModel } from 'amqplib';
import { keepConnected, unlessAborted } from './connection.ts';
import { type Consumer, type ConsumerOptions, type FollowingConsumer, startConsumer } from './consumer.ts';
import { type OutgoingMessage, Publisher } from './publisher.ts';
import { startQueueRepair } from './queue-repair.ts';

/**
 * Declares exchanges, queues and bindings, and returns the queues. Runs on every (re)connection, so it must be idempotent.
 */
export type DeclareTopology = (channel: Channel) => Promise<readonly string[]>;

export type BrokerSettings = {
  readonly url: string;
  /** Shown in the broker's list of connections. */
  readonly name: string;
  readonly declare: DeclareTopology;
};

/** A connection to RabbitMQ that comes back by itself, with its topology, publisher and consumers. */
export type Broker = {
  /**
   * Publishes a persistent message and resolves when the broker has it in a queue.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when it is unroutable, refused, not confirmed within 5 s, or there is no connection.
   */
  publish(message: OutgoingMessage): Promise<void>;
  /** Consumes from a queue until closed; taken up again after each reconnection. */
  consume(options: ConsumerOptions): Promise<Consumer>;
  /**
   * Runs `work` on a short-lived channel, for looking at queues.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when there is no connection, or it is lost meanwhile.
   */
  withChannel<T>(work: (channel: Channel) => Promise<T>): Promise<T>;
  readonly connected: boolean;
};

/** For the first connection, and for a consumer to begin. */
const firstTryTimeoutMs = 3_000;

/**
 * Connects to RabbitMQ and registers the connection for release.
 *
 * Resolves when connected, or after 3 s without a broker: a service goes on with what it can do alone,
 * says so by its readiness, and takes the broker up when it comes.
 */
export async function connectBroker(
  settings: BrokerSettings,
  log: Logger,
  resources: Resources,
): Promise<Broker> {
  let declared: readonly string[] = [];
  const declare: DeclareTopology = async (channel) => {
    declared = await settings.declare(channel);
    return declared;
  };
  const repair = startQueueRepair({ ...settings, log });
  const publisher = new Publisher(({ exchange, routingKey }) => {
    // Which of the queues behind an exchange it was, the broker doesn't say.
    repair.suspect(declared.filter((queue) => exchange !== '' || queue === routingKey));
  });
  const consumers = new Set<FollowingConsumer>();
  /** The connection in use: set once its topology and publisher are ready, unset as soon as it is gone. */
  let current: { readonly model: ChannelModel; readonly lost: AbortController } | undefined;

  const connection = keepConnected({
    url: settings.url,
    name: settings.name,
    log,
    setup: async (model) => {
      await onChannel(model, log, declare);
      await publisher.open(model);
    },
    ready: (model) => {
      current = { model, lost: new AbortController() };
      // The broker may have been away, and back without one of them.
      repair.look(declared);
      // Together with the line above, before anything else runs: a consumer added later follows by itself.
      for (const consumer of consumers) void consumer.follow(model);
    },
    lost: () => {
      current?.lost.abort();
      current = undefined;
      publisher.lost();
    },
  });
  resources.defer(() => connection.close());
  resources.defer(() => repair.close());

  await waitAtMost(firstTryTimeoutMs, connection.firstConnected);

  return {
    publish: (message) => publisher.publish(message),
    consume: async (options) => {
      const consumer = startConsumer({
        ...options,
        log,
        publisher,
        suspect: () => repair.suspect([options.queue]),
        settled: () => repair.settled(options.queue),
        redeclare: (model) => onChannel(model, log, declare),
        isCurrent: (model) => model === current?.model,
      });
      consumers.add(consumer);
      resources.defer(() => consumer.close());
      // Lost meanwhile, the connection that comes next takes the consumer up; a queue that is looked after holds nobody up.
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
      return current !== undefined;
    },
  };
}

/** Runs `work` on a channel of its own; what the broker objects to closes only that channel. */
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
    await channel.close().catch(() => undefined); // closed already when the broker objected
  }
}
