import { unavailable } from '@sigcast/contracts';
import { type Logger, type Resources, waitAtMost } from '@sigcast/runtime';
import type { Channel, ChannelModel } from 'amqplib';
import type { Registry } from 'prom-client';
import { type BrokerAddresses, type KeptConnection, keepConnected, unlessAborted } from './connection.ts';
import { type Consumer, type ConsumerOptions, type FollowingConsumer, startConsumer } from './consumer.ts';
import { FailingQueues } from './failing-queues.ts';
import { type BrokerMetrics, brokerMetrics } from './metrics.ts';
import { type OutgoingMessage, Publisher } from './publisher.ts';
import { Telling } from './telling.ts';
import { publishTraced } from './traced.ts';

/** Declares exchanges, queues and bindings. Runs on every (re)connection, so it must be idempotent. */
export type DeclareTopology = (channel: Channel) => Promise<void>;

export type BrokerSettings = BrokerAddresses & {
  /** Shown in the broker's list of connections. */
  readonly name: string;
  /**
   * Several run side by side, each on a channel of its own. On one channel the library asks one thing after the other, and
   * each takes a round trip.
   */
  readonly declare: DeclareTopology | readonly DeclareTopology[];
  /** Where its metrics go; nowhere unless given. */
  readonly registry?: Registry;
};

/** Connections to RabbitMQ that come back by themselves, with their topology, publisher and consumers. */
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
  /** For readiness: rejects, saying why, without a connection or while a queue gives or takes nothing. */
  checkUse(): Promise<void>;
  /**
   * For readiness: rejects while the broker refuses our user or password, if it has done so since the start. What a
   * service can do without the broker must not end when a password is changed under it.
   */
  checkAdmission(): Promise<void>;
};

/** For the first connections, and for a consumer to begin. */
const firstTryTimeoutMs = 3_000;

/**
 * Connects to RabbitMQ and registers the connections for release. One publishes, the other consumes: a broker that is
 * short of memory stops reading from connections that publish (RabbitMQ: Memory Alarms), and a queue whose consumers
 * cost their connection does not keep the process from publishing.
 *
 * Resolves when connected, or after 3 s without a broker: a service goes on with what it can do alone,
 * says so by its readiness, and takes the broker up when it comes.
 */
export async function connectBroker(
  { declare, registry, ...settings }: BrokerSettings,
  log: Logger,
  resources: Resources,
): Promise<Broker> {
  const telling = new Telling();
  const failing = new FailingQueues(log, telling);
  const publisher = new Publisher(failing, () => publishing.giveUp('it confirms nothing'));
  const consumers = new Set<FollowingConsumer>();
  const declareAll = async (model: ChannelModel) => {
    await Promise.all([declare].flat().map((each) => onChannel(model, log, each)));
  };
  const isConnected = () => canPublish && current !== undefined;
  const metrics = brokerMetrics(registry, () => ({
    ...{ connected: isConnected(), blocked: publisher.blocked, failing: failing.names.length },
  }));
  /** What the broker has confirmed is published, whatever is wrong with counting it. */
  const tell: BrokerMetrics['published'] = (...publication) => {
    try {
      metrics.published(...publication);
    } catch (err) {
      log.error({ err }, 'broker: a publication could not be counted');
    }
  };
  let canPublish = false;
  /** The connection that consumes: set once its topology is ready, unset as soon as it is gone. */
  let current: { readonly model: ChannelModel; readonly lost: AbortController } | undefined;

  const publishing: KeptConnection = keepConnected({
    ...{ ...settings, name: `${settings.name} (publishing)`, log, telling },
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
    ...{ ...settings, name: `${settings.name} (consuming)`, log, telling },
    setup: declareAll,
    ready: (model) => {
      current = { model, lost: new AbortController() };
      // Together with the line above, before anything else runs: a consumer added later follows by itself.
      for (const consumer of consumers) void consumer.follow(model);
    },
    lost: () => {
      metrics.lost();
      current?.lost.abort();
      current = undefined;
    },
  });
  resources.defer(() => consuming.close());

  await waitAtMost(firstTryTimeoutMs, Promise.all([publishing.firstConnected, consuming.firstConnected]));

  return {
    publish: async (message) => {
      const startedAt = performance.now();
      const destination = message.exchange || message.routingKey;
      try {
        await publishTraced(message, publisher);
      } catch (error) {
        tell(destination, startedAt, error);
        throw error;
      }
      tell(destination, startedAt);
    },
    consume: async (options) => {
      const consumer = startConsumer({
        ...options,
        log,
        publisher,
        failing,
        metrics,
        redeclare: declareAll,
        isCurrent: (model) => model === current?.model,
      });
      consumers.add(consumer);
      resources.defer(() => consumer.close());
      // Lost meanwhile, the connection that comes next takes the consumer up; a queue that does not answer holds nobody up.
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
    checkUse: async () => {
      if (!isConnected()) throw new Error('no connection to the broker');
      if (publisher.blocked) throw new Error('the broker has blocked publishing');
      if (failing.names.length > 0) throw new Error(`failing: ${failing.names.join(', ')}`);
    },
    checkAdmission: async () => {
      if (publishing.refused || consuming.refused) throw new Error('the broker refuses user or password');
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
