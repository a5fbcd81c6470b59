import type { EventQueue } from '@sigcast/contracts';
import type { Broker, Channel } from '@sigcast/messaging';

/** A message that could not be handled, and why. */
export type ParkedMessage = {
  readonly id: string;
  readonly reason: string;
  readonly parkedAt: string | null;
  readonly body: string;
};

/** What is to become of a parked message. */
export type Decision = 'keep' | 'requeue' | 'drop';

/** What the fan-out could not handle. */
export type ParkingLot = {
  /** Goes once through all messages, oldest first, and does with each what `decide` says. */
  walk(decide: (message: ParkedMessage) => Decision): Promise<void>;
};

type Received = Exclude<Awaited<ReturnType<Channel['get']>>, false>;

/**
 * A message leaves the parking queue only once it is confirmed where it goes; a walk that is interrupted leaves one
 * message twice, never none. Also one that stays goes round to the end of the queue: given back instead, it would count
 * as a failed delivery, of which newer brokers allow twenty before they drop it.
 */
export function parkingLot(broker: Broker, { queue, parked }: EventQueue): ParkingLot {
  const settle = async (channel: Channel, received: Received, decision: Decision) => {
    if (decision !== 'drop') {
      const message = describe(received);
      await broker.publish({
        exchange: '',
        routingKey: decision === 'requeue' ? queue : parked,
        messageId: message.id,
        body: received.content,
        ...(decision === 'keep' && {
          headers: {
            'sigcast-reason': message.reason,
            ...(message.parkedAt !== null && { 'sigcast-parked-at': message.parkedAt }),
          },
        }),
      });
    }
    channel.ack(received);
  };
  return {
    walk: (decide) =>
      broker.withChannel(async (channel) => {
        const { messageCount } = await channel.checkQueue(parked);
        for (let seen = 0; seen < messageCount; seen++) {
          const received = await channel.get(parked);
          if (received === false) return;
          await settle(channel, received, decide(describe(received)));
        }
      }),
  };
}

function describe({ content, properties }: Received): ParkedMessage {
  const headers: Readonly<Record<string, unknown>> = properties.headers ?? {};
  const text = (name: string) => (typeof headers[name] === 'string' ? headers[name] : null);
  // The broker itself puts aside what killed its consumer too often, under a reason of its own.
  const byBroker = text('x-first-death-reason');
  return {
    id: typeof properties.messageId === 'string' ? properties.messageId : '',
    reason: text('sigcast-reason') ?? (byBroker === null ? 'unknown' : `given up by the broker: ${byBroker}`),
    parkedAt: text('sigcast-parked-at'),
    body: content.toString('utf8'),
  };
}
