import { randomUUID } from 'node:crypto';
import type { AccountTopology, BoundQueue, EventQueue, EventTopology } from '@sigcast/contracts';
import { waitAtMost } from '@sigcast/runtime';
import type { Channel } from 'amqplib';
import type { Broker, DeclareTopology } from './broker.ts';

/**
 * How often a message may be delivered without an acknowledgement (its consumer died) before the broker parks it. Without a
 * bound a message that kills its consumer would do so for ever.
 */
const deliveryLimit = 50;

/**
 * A durable, replicated queue whose overflow is refused rather than dropped, and whose dead letters are kept
 * until the dead-letter queue has them (RabbitMQ: Quorum Queues, "at-least-once dead lettering").
 */
export async function assertQuorumQueue(
  channel: Channel,
  queue: string,
  options: { deadLetterTo?: { exchange: string; routingKey: string }; deliveryLimit?: number } = {},
): Promise<void> {
  await channel.assertQueue(queue, {
    durable: true,
    arguments: {
      'x-queue-type': 'quorum',
      'x-overflow': 'reject-publish',
      ...(options.deadLetterTo === undefined
        ? {}
        : {
            'x-dead-letter-exchange': options.deadLetterTo.exchange,
            'x-dead-letter-routing-key': options.deadLetterTo.routingKey,
            'x-dead-letter-strategy': 'at-least-once',
          }),
      ...(options.deliveryLimit === undefined ? {} : { 'x-delivery-limit': options.deliveryLimit }),
    },
  });
}

/** The consumers' queues. */
export function eventQueues({ stats, fanout, bulkFanout, tracker }: EventTopology): readonly EventQueue[] {
  return [stats, fanout, bulkFanout, tracker];
}

/** Functions with which the publisher declares the exchange of signal events and its queues, in any order or concurrently. */
export function eventDeclarations(topology: EventTopology): readonly DeclareTopology[] {
  return eventQueues(topology).map((queue) => declareWithExchange(topology.exchange, queue));
}

/** Functions with which the publisher declares the exchange of account events and its queues, in any order or concurrently. */
export function accountDeclarations({ exchange, webhooks }: AccountTopology): readonly DeclareTopology[] {
  return [declareWithExchange(exchange, webhooks)];
}

/**
 * Functions with which a consumer declares its queues, in any order or concurrently. The exchange is its publisher's: if it
 * does not exist yet, the publisher binds the queues when it declares it.
 */
export function queueDeclarations(
  exchange: string,
  queues: readonly BoundQueue[],
): readonly DeclareTopology[] {
  return queues.map((queue) => async (channel) => {
    await declareQueue(channel, queue);
    await bindKeys(channel, exchange, queue).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  });
}

/** Declares the exchange of signal events and its queues, one after another. */
export async function declareEventTopology(channel: Channel, topology: EventTopology): Promise<void> {
  for (const declare of eventDeclarations(topology)) await declare(channel);
}

/** Declares the exchange of account events and its queues, one after another. */
export async function declareAccountTopology(channel: Channel, topology: AccountTopology): Promise<void> {
  for (const declare of accountDeclarations(topology)) await declare(channel);
}

/**
 * Marks on queues, which show a queue's incarnation. A mark is an auto-delete exchange with a unique name, bound to its queue
 * alone. The broker deletes the binding with the queue, and the exchange with its only binding (AMQP 0-9-1,
 * exchange.declare, auto-delete). So while the mark exists, the queue has not been deleted and declared again.
 *
 * Each function throws SERVICE_UNAVAILABLE without a connection.
 */
export type QueueMarks = {
  /** The consumers' queues. */
  readonly queues: readonly EventQueue[];
  /**
   * Declares the whole topology, whatever is missing of it: a message to an exchange that was declared again must reach every
   * queue.
   */
  declare(): Promise<void>;
  /** Marks an existing queue, and returns the mark. */
  mark(queue: EventQueue): Promise<string>;
  isThere(mark: string): Promise<boolean>;
  /** Removes a mark, if it exists. */
  remove(mark: string): Promise<void>;
};

/** The marks on the queues of signal events. */
export function queueMarks(broker: Broker, topology: EventTopology): QueueMarks {
  const remove = async (mark: string) => {
    await broker.withChannel((channel) => channel.deleteExchange(mark));
  };
  return {
    queues: eventQueues(topology),
    declare: async () => {
      await Promise.all(eventDeclarations(topology).map((each) => broker.withChannel(each)));
    },
    mark: async ({ queue, marker }) => {
      const mark = `${marker}.${randomUUID()}`;
      try {
        await broker.withChannel(async (channel) => {
          await channel.assertExchange(mark, 'fanout', { durable: true, autoDelete: true });
          await channel.bindQueue(queue, mark, '');
        });
      } catch (error) {
        // Without a binding the broker would never delete the exchange.
        await remove(mark).catch(() => undefined);
        throw error;
      }
      return mark;
    },
    isThere: async (mark) => {
      try {
        // A check of a missing exchange closes the channel, so each check has its own.
        await broker.withChannel((channel) => channel.checkExchange(mark));
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    },
    remove,
  };
}

/**
 * How many messages are ready in each of these queues; undefined for one that is missing or does not answer within
 * `timeoutMs`. Throws without a connection.
 */
export async function messagesReady(
  broker: Pick<Broker, 'withChannel'>,
  names: readonly string[],
  timeoutMs = answerTimeoutMs,
): Promise<ReadonlyMap<string, number | undefined>> {
  const readyIn = async (name: string) => {
    const found = await inspectQueue(broker, name, timeoutMs);
    return found === 'no answer' ? undefined : found?.messages;
  };
  return new Map(await Promise.all(names.map(async (name) => [name, await readyIn(name)] as const)));
}

/** How long the broker may take to answer about a queue, in milliseconds: without the queue's majority it never answers. */
const answerTimeoutMs = 5_000;

/**
 * The ready messages and the consumers of a queue. Undefined when the queue is missing; `no answer` after `timeoutMs`, 5 s
 * unless given.
 */
export async function inspectQueue(
  broker: Pick<Broker, 'withChannel'>,
  name: string,
  timeoutMs = answerTimeoutMs,
): Promise<{ readonly messages: number; readonly consumers: number } | 'no answer' | undefined> {
  try {
    // On a channel of its own, because a check of a missing queue closes the channel.
    const check = broker.withChannel((channel) => channel.checkQueue(name));
    const found = await waitAtMost(timeoutMs, check);
    if (found === undefined) return 'no answer';
    return { messages: found.messageCount, consumers: found.consumerCount };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === notFound;
}

/** AMQP 0-9-1, reply codes. */
const notFound = 404;

/** Returns a function that declares an exchange and one queue on it. */
function declareWithExchange(exchange: string, queue: BoundQueue): DeclareTopology {
  return async (channel) => {
    await channel.assertExchange(exchange, 'topic', { durable: true });
    await declareQueue(channel, queue);
    await bindKeys(channel, exchange, queue);
  };
}

/**
 * Declares a queue, its parking queue, and the exchange with the queue's name, which gives both of them messages by their
 * names. Nobody may publish to the default exchange, which reaches every queue.
 */
export async function declareQueue(
  channel: Channel,
  { queue, parked }: Pick<BoundQueue, 'queue' | 'parked'>,
): Promise<void> {
  await channel.assertExchange(queue, 'direct', { durable: true });
  await assertQuorumQueue(channel, parked);
  await channel.bindQueue(parked, queue, parked);
  await assertQuorumQueue(channel, queue, {
    deadLetterTo: { exchange: queue, routingKey: parked },
    deliveryLimit,
  });
  await channel.bindQueue(queue, queue, queue);
}

async function bindKeys(channel: Channel, exchange: string, { queue, keys }: BoundQueue): Promise<void> {
  for (const key of keys) await channel.bindQueue(queue, exchange, key);
}
