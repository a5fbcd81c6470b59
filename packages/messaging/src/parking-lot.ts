import { type BoundQueue, unavailable } from '@sigcast/contracts';
import type { Channel } from 'amqplib';
import type { Broker } from './broker.ts';
import { traceOf } from './publisher.ts';
import { inspectQueue } from './topology.ts';

/** A message that could not be handled, with the reason. */
export type ParkedMessage = {
  readonly id: string;
  /** The queue that the message comes from, and returns to. */
  readonly queue: string;
  readonly reason: string;
  readonly parkedAt: string | null;
  readonly body: string;
};

/** What to do with a parked message. */
export type Decision = 'keep' | 'requeue' | 'drop';

/** The parked messages of some queues. */
type ParkingLot = {
  /**
   * Goes once through all messages, oldest first, and carries out the decision of `decide` for each.
   * @throws {SigcastError} SERVICE_UNAVAILABLE without a connection, or when the queue that a message goes to is full.
   */
  walk(decide: (message: ParkedMessage) => Decision): Promise<void>;
};

type Received = Exclude<Awaited<ReturnType<Channel['get']>>, false>;

/**
 * Opens the parking queues of these queues. Several queues may share one parking queue.
 *
 * A message is removed from its parking queue after the broker has confirmed it in the other queue, so an interrupted walk
 * may leave a message twice, but never loses one. A message that stays is published to the end of its queue again. Returning
 * it would count as a failed delivery, and newer brokers drop a message after twenty of these.
 */
export function parkingLot(broker: Broker, queues: readonly BoundQueue[]): ParkingLot {
  const moveTo = async (
    channel: Channel,
    received: Received,
    at: ParkedMessage & { readonly next: string },
  ) => {
    await broker.publish({
      exchange: at.queue,
      routingKey: at.next,
      messageId: at.id,
      body: received.content,
      traceparent: traceOf(received.properties.headers ?? {}),
      ...(at.next !== at.queue && {
        headers: {
          'sigcast-reason': at.reason,
          'sigcast-queue': at.queue,
          ...(at.parkedAt !== null && { 'sigcast-parked-at': at.parkedAt }),
        },
      }),
    });
    channel.ack(received);
  };
  return {
    walk: async (decide) => {
      for (const [parked, sharing] of Map.groupBy(queues, (queue) => queue.parked)) {
        const from = sharing.map(({ queue }) => queue);
        const found = await inspectQueue(broker, parked);
        if (found === undefined) continue; // its publisher has not declared it yet
        if (found === 'no answer') throw unavailable(`The queue ${parked}`);
        await broker.withChannel(async (channel) => {
          for (let seen = 0; seen < found.messages; seen++) {
            const received = await channel.get(parked);
            if (received === false) return;
            const message = describe(received, from);
            const decision = decide(message);
            if (decision === 'drop') channel.ack(received);
            else
              await moveTo(channel, received, {
                ...message,
                next: decision === 'requeue' ? message.queue : parked,
              });
          }
        });
      }
    },
  };
}

/** Reads a parked message. @param from the queues that it can come from. */
function describe({ content, properties }: Received, from: readonly string[]): ParkedMessage {
  const headers: Readonly<Record<string, unknown>> = properties.headers ?? {};
  const text = (name: string) => (typeof headers[name] === 'string' ? headers[name] : null);
  // The broker itself parks a message that killed its consumer too often, with a reason of its own.
  const byBroker = text('x-first-death-reason');
  const origin = text('sigcast-queue') ?? text('x-first-death-queue');
  return {
    id: typeof properties.messageId === 'string' ? properties.messageId : '',
    queue: from.find((queue) => queue === origin) ?? from[0] ?? '',
    reason: text('sigcast-reason') ?? (byBroker === null ? 'unknown' : `given up by the broker: ${byBroker}`),
    parkedAt: text('sigcast-parked-at'),
    body: content.toString('utf8'),
  };
}
