import type { EventQueue, EventTopology } from '@sigcast/contracts';
import type { Channel } from 'amqplib';
import type { Broker } from './broker.ts';

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
  options: { deadLetterTo?: string; ttlMs?: number; deliveryLimit?: number } = {},
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
      ...(options.ttlMs === undefined ? {} : { 'x-message-ttl': options.ttlMs }),
      ...(options.deliveryLimit === undefined ? {} : { 'x-delivery-limit': options.deliveryLimit }),
    },
  });
}

/** Declares the exchange of signal events and every consumer's queue on it. */
export async function declareEventTopology(channel: Channel, topology: EventTopology): Promise<void> {
  await channel.assertExchange(topology.exchange, 'topic', { durable: true });
  for (const subscription of [topology.stats, topology.fanout]) {
    await declareEventQueue(channel, topology.exchange, subscription);
  }
}

/**
 * Declares the topology and returns the event queues without a marker: those that are new, or were deleted since
 * with all they held, by whatever means. They are there when this returns, so what is published afterwards reaches
 * them; `markQueues` notices when one is lost once more in between.
 *
 * @throws {SigcastError} SERVICE_UNAVAILABLE without a connection.
 */
export async function unmarkedQueues(
  broker: Broker,
  topology: EventTopology,
): Promise<readonly EventQueue[]> {
  const declare = () => broker.withChannel((channel) => declareEventTopology(channel, topology));
  await declare();
  const unmarked: EventQueue[] = [];
  for (const subscription of [topology.stats, topology.fanout]) {
    if (!(await hasMarker(broker, subscription.queue, subscription.marker))) unmarked.push(subscription);
  }
  if (unmarked.length === 0) return [];
  // One that was lost between the first declaration and the look at its marker.
  await declare();
  for (const { queue, marker } of unmarked) await bindMarker(broker, queue, presence(marker));
  return unmarked;
}

/**
 * Marks queues of `unmarkedQueues` as holding all that was published for them. The marker is an auto-delete exchange:
 * the broker removes it with its only binding, and that with the queue (AMQP 0-9-1, exchange.declare, auto-delete).
 *
 * @throws when a queue was lost since, whoever declared it again.
 */
export async function markQueues(broker: Broker, queues: readonly EventQueue[]): Promise<void> {
  for (const { queue, marker } of queues) {
    await bindMarker(broker, queue, marker);
    // Looked at after the marker is there: a loss before shows here, a later one takes the marker along.
    if (await hasMarker(broker, queue, presence(marker))) continue;
    await broker.withChannel((channel) => channel.deleteExchange(marker));
    throw new Error(`${queue} was lost while it was being filled`);
  }
}

/** A marker of the same kind that says only that the queue has been there since it was looked for. */
function presence(marker: string): string {
  return `${marker}.begun`;
}

async function bindMarker(broker: Broker, queue: string, marker: string): Promise<void> {
  await broker.withChannel(async (channel) => {
    await channel.assertExchange(marker, 'fanout', { durable: true, autoDelete: true });
    await channel.bindQueue(queue, marker, '');
  });
}

async function hasMarker(broker: Broker, queue: string, marker: string): Promise<boolean> {
  try {
    // A look at what is missing costs the channel: each look has one of its own.
    await broker.withChannel(async (channel) => {
      await channel.checkExchange(marker);
      // One whose maker died before the binding would outlive the queue. Bound only, never made here: a marker that
      // vanishes between these two lines must stay away.
      await channel.bindQueue(queue, marker, '');
    });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === notFound) return false;
    throw error;
  }
}

/** AMQP 0-9-1, reply codes. */
const notFound = 404;

async function declareEventQueue(
  channel: Channel,
  exchange: string,
  subscription: EventQueue,
): Promise<void> {
  await assertQuorumQueue(channel, subscription.parked);
  await assertQuorumQueue(channel, subscription.queue, { deadLetterTo: subscription.parked, deliveryLimit });
  for (const key of subscription.keys) await channel.bindQueue(subscription.queue, exchange, key);
}
