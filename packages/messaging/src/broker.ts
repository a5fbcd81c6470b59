import { type Logger, pause, type Resources } from '@sigcast/runtime';
import { type Channel, type ChannelModel, connect } from 'amqplib';
import { type Consumer, type ConsumerOptions, startConsumer } from './consumer.ts';
import { type OutgoingMessage, Publisher } from './publisher.ts';

/** Declares exchanges, queues and bindings. Runs on every (re)connection, so it must be idempotent. */
export type DeclareTopology = (channel: Channel) => Promise<void>;

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
  /** Runs `work` on a short-lived channel, for looking at queues. */
  withChannel<T>(work: (channel: Channel) => Promise<T>): Promise<T>;
  readonly connected: boolean;
};

const firstConnectionTimeoutMs = 3_000;

/**
 * Connects to RabbitMQ and registers the connection for release.
 * `noDelay` matters: without it a confirmed publish waits 40 ms for a delayed TCP acknowledgement.
 *
 * Resolves when connected, or after 3 s without a broker: a service goes on with what it can do alone,
 * says so by its readiness, and takes the broker up when it comes.
 */
export async function connectBroker(
  settings: BrokerSettings,
  log: Logger,
  resources: Resources,
): Promise<Broker> {
  const publisher = new Publisher();
  const consumers = new Set<(model: ChannelModel) => Promise<void>>();
  let model: ChannelModel | undefined;

  const isCurrent = (other: ChannelModel) => model === other;

  const declareTopology = async () => {
    if (!model) throw new Error('no connection to the broker');
    const channel = await model.createChannel();
    channel.on('error', (err: Error) => log.warn({ err }, 'broker: topology'));
    await settings.declare(channel);
    await channel.close();
  };

  const setup = async (fresh: ChannelModel) => {
    model = fresh;
    await declareTopology();
    await publisher.open(fresh);
    for (const begin of consumers) await begin(fresh);
  };

  const connection = await connect(settings.url, {
    noDelay: true,
    timeout: 5_000,
    clientProperties: { connection_name: settings.name },
    recovery: { initialDelay: 100, maxDelay: 2_000, waitForConnect: false, setup },
  });
  connection.on('connect', () => log.info('broker: connected'));
  connection.on('disconnect', (err: Error) => {
    model = undefined;
    publisher.lost();
    log.warn({ err }, 'broker: connection lost');
  });
  connection.on('connect-failed', (err: Error) =>
    log.warn({ err: err.message }, 'broker: no connection yet'),
  );
  connection.on('error', (err: Error) => log.warn({ err }, 'broker'));
  resources.defer(() => connection.close());
  const firstConnection = connection.waitForConnect().then(
    () => undefined,
    () => undefined, // closed before it ever connected
  );
  await Promise.race([firstConnection, pause(firstConnectionTimeoutMs)]);

  return {
    publish: (message) => publisher.publish(message),
    consume: async (options) => {
      const consumer = startConsumer({ ...options, log, publisher, redeclare: declareTopology, isCurrent });
      consumers.add(consumer.begin);
      resources.defer(() => consumer.close());
      if (model) await consumer.begin(model);
      return {
        close: async () => {
          consumers.delete(consumer.begin);
          await consumer.close();
        },
      };
    },
    withChannel: async (work) => {
      const channel = await connection.createChannel();
      channel.on('error', (err: Error) => log.debug({ err }, 'broker: channel'));
      try {
        return await work(channel);
      } finally {
        await channel.close().catch(() => undefined);
      }
    },
    get connected() {
      return model !== undefined;
    },
  };
}
