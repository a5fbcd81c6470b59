import { randomUUID } from 'node:crypto';
import type { AccountTopology, BoundQueue, EventQueue, EventTopology } from '@sigcast/contracts';
import type { Channel } from 'amqplib';
import type { Broker, DeclareTopology } from './broker.ts';

/**
 * Deliveries of one message that end without an acknowledgement (its consumer died) before the broker puts it
 * aside. Bounded because a message that kills its consumer would otherwise do so for ever.
 */
const deliveryLimit = 50;

/**
 * A durable, replicated queue whose overflow is refused rather than dropped, and whose dead letters are kept
 * until the dead-letter queue has them (RabbitMQ: Quorum Queues, "at-least-once dead lettering").
 */
export async function assertQuorumQueue(
  channel: Channel,
  queue: string,
  options: { deadLetterTo?: string; deliveryLimit?: number } = {},
): Promise<void> {
  await channel.assertQueue(queue, {
    durable: true,
    arguments: {
      'x-queue-type': 'quorum',
      'x-overflow': 'reject-publish',
      ...(options.deadLetterTo === undefined
        ? {}
        : {
            'x-dead-letter-exchange': '',
            'x-dead-letter-routing-key': options.deadLetterTo,
            'x-dead-letter-strategy': 'at-least-once',
          }),
      ...(options.deliveryLimit === undefined ? {} : { 'x-delivery-limit': options.deliveryLimit }),
    },
  });
}

/** The consumers' queues. */
export function eventQueues({ stats, fanout, bulkFanout }: EventTopology): readonly EventQueue[] {
  return [stats, fanout, bulkFanout];
}

/** What declares the exchange of signal events and each consumer's queue on it, in any order or side by side. */
export function eventDeclarations(topology: EventTopology): readonly DeclareTopology[] {
  return eventQueues(topology).map((queue) => declaration(topology.exchange, queue));
}

/** What declares the exchange of account events and each consumer's queue on it, in any order or side by side. */
export function accountDeclarations({ exchange, webhooks }: AccountTopology): readonly DeclareTopology[] {
  return [declaration(exchange, webhooks)];
}

/** Declares the exchange of signal events and every consumer's queue on it, one after the other. */
export async function declareEventTopology(channel: Channel, topology: EventTopology): Promise<void> {
  for (const declare of eventDeclarations(topology)) await declare(channel);
}

/** Declares the exchange of account events and every consumer's queue on it, one after the other. */
export async function declareAccountTopology(channel: Channel, topology: AccountTopology): Promise<void> {
  for (const declare of accountDeclarations(topology)) await declare(channel);
}

/**
 * Marks on queues. A mark is an auto-delete exchange with a name nobody else has, bound to nothing but its queue: the
 * broker removes it with its only binding, and that with the queue (AMQP 0-9-1, exchange.declare, auto-delete). So
 * while it is there, the queue has been there since it was marked, whoever has declared it again meanwhile.
 *
 * Each function throws SERVICE_UNAVAILABLE without a connection.
 */
export type QueueMarks = {
  /** The consumers' queues. */
  readonly queues: readonly EventQueue[];
  /**
   * Declares the topology, all of it whatever is missing: what is published to an exchange that is made anew must find every
   * queue bound to it.
   */
  declare(): Promise<void>;
  /** Marks a queue that is there, and returns the mark. */
  mark(queue: EventQueue): Promise<string>;
  isThere(mark: string): Promise<boolean>;
  /** Removes a mark, if it is there. */
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
        // Without a binding nothing would ever remove it.
        await remove(mark).catch(() => undefined);
        throw error;
      }
      return mark;
    },
    isThere: async (mark) => {
      try {
        // A look at what is missing costs the channel: each look has one of its own.
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
  const look = async (name: string) => {
    const found = await lookAtQueue(broker, name, timeoutMs);
    return found === 'no answer' ? undefined : found?.messages;
  };
  return new Map(await Promise.all(names.map(async (name) => [name, await look(name)] as const)));
}

/** How long the broker may take to tell of a queue: of one whose majority is away it says nothing. In milliseconds. */
const answerTimeoutMs = 5_000;

/**
 * What the broker tells of a queue: messages that nobody has in hand, and consumers. Undefined when it is missing, `no answer`
 * after `timeoutMs`, 5 s unless said otherwise.
 */
export async function lookAtQueue(
  broker: Pick<Broker, 'withChannel'>,
  name: string,
  timeoutMs = answerTimeoutMs,
): Promise<{ readonly messages: number; readonly consumers: number } | 'no answer' | undefined> {
  try {
    // A channel of its own: a look at what is missing closes it.
    const look = broker.withChannel((channel) => channel.checkQueue(name));
    const { promise: late, resolve } = Promise.withResolvers<'no answer'>();
    const timer = setTimeout(resolve, timeoutMs, 'no answer');
    const found = await Promise.race([look, late]).finally(() => clearTimeout(timer));
    if (found === 'no answer') {
      look.catch(() => undefined); // nobody waits for it any more
      return found;
    }
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

/** What declares an exchange and one queue on it. */
function declaration(exchange: string, { queue, parked, keys }: BoundQueue): DeclareTopology {
  return async (channel) => {
    await channel.assertExchange(exchange, 'topic', { durable: true });
    await assertQuorumQueue(channel, parked);
    await assertQuorumQueue(channel, queue, { deadLetterTo: parked, deliveryLimit });
    for (const key of keys) await channel.bindQueue(queue, exchange, key);
  };
}
