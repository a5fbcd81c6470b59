import type {
  AccountTopology,
  BoundQueue,
  EventQueue,
  EventTopology,
  WebhookTopology,
} from '@sigcast/contracts';
import { waitAtMost } from '@sigcast/runtime';
import type { Channel } from 'amqplib';
import type { Broker, DeclareTopology } from './broker.ts';
import { isNotFound } from './connection.ts';

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

/** Called with a queue that does not exist, and an instant before this was found. The queue is declared afterwards. */
export type NoteMissing = (queue: string, before: Date) => Promise<void>;

/** Functions with which the publisher declares the exchange of signal events and its queues, in any order or concurrently. */
export function eventDeclarations(
  topology: EventTopology,
  noteMissing?: NoteMissing,
): readonly DeclareTopology[] {
  return eventQueues(topology).map((queue) => declareWithExchange(topology.exchange, queue, noteMissing));
}

/** Functions with which the publisher declares the exchange of account events and its queues, in any order or concurrently. */
export function accountDeclarations({ exchange, webhooks }: AccountTopology): readonly DeclareTopology[] {
  return [declareWithExchange(exchange, webhooks, undefined)];
}

/** Functions with which the publisher declares the exchange of notices of webhooks and its queues, in any order or concurrently. */
export function webhookDeclarations({ exchange, gateway }: WebhookTopology): readonly DeclareTopology[] {
  return [declareWithExchange(exchange, gateway, undefined)];
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

/** Returns a function that declares an exchange and one queue on it. */
function declareWithExchange(
  exchange: string,
  queue: BoundQueue,
  noteMissing: NoteMissing | undefined,
): DeclareTopology {
  return async (channel, missingBy) => {
    // A queue whose loss is noted is only bound, which fails when it is missing: declared, it would come back without a note.
    const isThere = noteMissing !== undefined && missingBy === undefined;
    if (missingBy) await noteMissing?.(queue.queue, missingBy);
    await channel.assertExchange(exchange, 'topic', { durable: true });
    await declareQueue(channel, queue, { isThere });
    for (const key of queue.keys) await channel.bindQueue(queue.queue, exchange, key);
  };
}

/**
 * Declares a queue, its parking queue, and the exchange with the queue's name, which gives both of them messages by their
 * names. Nobody may publish to the default exchange, which reaches every queue.
 */
export async function declareQueue(
  channel: Channel,
  { queue, parked }: Pick<BoundQueue, 'queue' | 'parked'>,
  { isThere = false } = {},
): Promise<void> {
  await channel.assertExchange(queue, 'direct', { durable: true });
  await assertQuorumQueue(channel, parked);
  await channel.bindQueue(parked, queue, parked);
  if (!isThere) {
    await assertQuorumQueue(channel, queue, {
      deadLetterTo: { exchange: queue, routingKey: parked },
      deliveryLimit,
    });
  }
  await channel.bindQueue(queue, queue, queue);
}
