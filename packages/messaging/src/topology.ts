import type { EventQueue, EventTopology } from '@sigcast/contracts';
import type { Channel } from 'amqplib';

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

async function declareEventQueue(
  channel: Channel,
  exchange: string,
  subscription: EventQueue,
): Promise<void> {
  await assertQuorumQueue(channel, subscription.parked);
  await assertQuorumQueue(channel, subscription.queue, { deadLetterTo: subscription.parked, deliveryLimit });
  for (const key of subscription.keys) await channel.bindQueue(subscription.queue, exchange, key);
}
