import { SigcastError } from '@sigcast/contracts';
import { backoffMs, type Logger, pause, waitAtMost } from '@sigcast/runtime';
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import type { FailingQueues } from './failing-queues.ts';
import type { BrokerMetrics, MessageOutcome } from './metrics.ts';
import { type Publisher, traceOf } from './publisher.ts';
import { handleTraced } from './traced.ts';

/** A message as a handler sees it. */
export type IncomingMessage = {
  readonly id: string;
  readonly routingKey: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly redelivered: boolean;
};

/** A handler throws this to park a message that it can never handle. */
export class UnprocessableMessage extends Error {
  override readonly name = 'UnprocessableMessage';
}

/** The queue of a consumer, and the handler of its messages. */
export type ConsumerOptions = {
  readonly queue: string;
  /** The parking queue, where messages go that cannot be handled, by the exchange with the queue's name. Absent: such messages are logged and dropped. */
  readonly parked?: string;
  /** The most unacknowledged messages at once. */
  readonly prefetch: number;
  /**
   * Resolves when the message is handled; then it is acknowledged. Throws a {@link SigcastError}, as calls of stores do, to be
   * called again after a pause, and {@link UnprocessableMessage} to park the message.
   */
  readonly handle: (message: IncomingMessage) => Promise<void>;
};

/** A running consumer. `close` waits until the messages in flight are handled. */
export type Consumer = { close(): Promise<void> };

/** A message is parked after this many errors that are not a {@link SigcastError}: they show a bug, not an outage. */
const maxUnexpectedFailures = 5;

type Internal = ConsumerOptions & {
  readonly log: Logger;
  readonly publisher: Publisher;
  /** Reported to when consuming fails, and when it works. */
  readonly failing: FailingQueues;
  readonly metrics: BrokerMetrics;
  /** Whether this connection is the current one. */
  readonly isCurrent: (model: ChannelModel) => boolean;
};

/** A consumer across reconnections. `follow`: consumes on a new connection; it resolves after the first try, and never rejects. */
export type FollowingConsumer = Consumer & { follow(model: ChannelModel): Promise<void> };

/** How long the broker may take to answer when a consumer closes, in milliseconds. After that, closing the connection closes the channel. */
const closeTimeoutMs = 1_000;

/** A queue that does not accept its consumer within this time counts as failing, in milliseconds. The broker itself fails after a minute. */
const consumeTimeoutMs = 5_000;

/** Starts a consumer. It consumes as soon as it follows a connection. */
export function startConsumer(options: Internal): FollowingConsumer {
  const { queue, log, failing } = options;
  const stopping = new AbortController();
  const inFlight = new Set<Promise<void>>();
  options.metrics.consuming(queue);
  let current: { channel: Channel; tag: string } | undefined;

  const begin = async (model: ChannelModel): Promise<void> => {
    const channel = await model.createChannel();
    let open = true;
    channel.on('error', (err: Error) => log.warn({ err, queue }, 'broker: consumer channel'));
    channel.on('close', () => {
      open = false;
      if (current?.channel !== channel) return;
      current = undefined;
      // The broker may have closed only this channel. If the connection is lost as well, `resume` ends at once.
      void resume(model);
    });
    const receive = (message: ConsumeMessage | null) => {
      if (message === null) {
        log.warn({ queue }, 'broker: the queue was deleted');
        channel.close().catch(() => undefined);
        open = false; // messages can no longer be acknowledged on this channel
        return;
      }
      // An unacknowledged message goes back to the queue when the channel closes.
      if (stopping.signal.aborted) return;
      const work = processMessage(message, options, stopping.signal, () => open)
        .then((settled) => {
          if (settled && open) channel.ack(message);
        })
        .catch((err: unknown) => log.error({ err, queue }, 'broker: message not settled'))
        .finally(() => inFlight.delete(work));
      inFlight.add(work);
    };
    try {
      await channel.prefetch(options.prefetch);
      const late = setInterval(
        () =>
          failing.failed(queue, new Error(`the queue accepted no consumer within ${consumeTimeoutMs} ms`)),
        consumeTimeoutMs,
      );
      channel.once('close', () => clearInterval(late)); // a lost connection never answers
      const { consumerTag } = await channel.consume(queue, receive).finally(() => clearInterval(late));
      // The channel may have closed, or the consumer may have been closed, since the broker answered.
      if (!open) throw new Error('the channel closed as soon as it was open');
      if (stopping.signal.aborted) throw new Error('the consumer was closed meanwhile');
      current = { channel, tag: consumerTag };
      failing.worked(queue);
    } catch (error) {
      await channel.close().catch(() => undefined);
      throw error;
    }
  };

  /** Tries to consume again until it works, the connection is no longer current, or the consumer is closed. */
  const resume = async (model: ChannelModel): Promise<void> => {
    for (let attempt = 1; !stopping.signal.aborted; attempt++) {
      await pause(backoffMs(attempt, { firstMs: 50, maxMs: 2_000 }), stopping.signal).catch(() => undefined);
      if (stopping.signal.aborted || !options.isCurrent(model)) return;
      try {
        await begin(model);
        return;
      } catch (err) {
        if (!stopping.signal.aborted && options.isCurrent(model)) failing.failed(queue, err);
      }
    }
  };

  const follow = async (model: ChannelModel): Promise<void> => {
    if (stopping.signal.aborted) return;
    try {
      await begin(model);
    } catch (err) {
      if (stopping.signal.aborted) return;
      failing.failed(queue, err);
      void resume(model);
    }
  };

  let closed: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort();
    const last = current;
    current = undefined;
    if (!last) {
      await Promise.allSettled(inFlight);
      return;
    }
    // No new messages arrive while the messages in flight are handled. They are acknowledged before the channel closes.
    const cancelled = last.channel.cancel(last.tag).catch(() => undefined);
    await Promise.allSettled(inFlight);
    const closing = cancelled.then(() => last.channel.close()).catch(() => undefined);
    await waitAtMost(closeTimeoutMs, closing);
  };

  return {
    follow,
    close: () => {
      closed ??= stop();
      return closed;
    },
  };
}

/** Handles a message, and counts it. Returns whether to acknowledge it. */
async function processMessage(
  message: ConsumeMessage,
  options: Internal,
  stopping: AbortSignal,
  open: () => boolean,
): Promise<boolean> {
  const startedAt = performance.now();
  const incoming: IncomingMessage = {
    id: String(message.properties.messageId ?? ''),
    routingKey: message.fields.routingKey,
    body: message.content,
    headers: message.properties.headers ?? {},
    redelivered: message.fields.redelivered,
  };
  const outcome = await handleUntilSettled(incoming, options, stopping, open);
  options.metrics.processed(options.queue, startedAt, outcome, incoming);
  return outcome !== 'left';
}

/** Calls the handler until the message is handled or parked, or can no longer be acknowledged (`left`). */
async function handleUntilSettled(
  incoming: IncomingMessage,
  options: Internal,
  stopping: AbortSignal,
  open: () => boolean,
): Promise<MessageOutcome> {
  let unexpected = 0;
  for (let attempt = 1; open(); attempt++) {
    try {
      await handleTraced(incoming, options);
      return 'handled';
    } catch (error) {
      // A SigcastError is about a store or a service, never about the message.
      const classified = error instanceof SigcastError;
      const unprocessable = error instanceof UnprocessableMessage;
      if (!classified) unexpected++;
      if (unprocessable || unexpected >= maxUnexpectedFailures) {
        if (await park(incoming, error, options)) return 'parked';
      }
      options.log.warn(
        { err: error, queue: options.queue, message_id: incoming.id, attempt },
        'the message could not be handled; trying again',
      );
      options.metrics.retried(options.queue);
      // An unacknowledged message goes back to the queue when the channel closes.
      if (stopping.aborted) return 'left';
      await pause(backoffMs(attempt, { firstMs: 50, maxMs: 5_000 }), stopping).catch(() => undefined);
      if (stopping.aborted) return 'left';
    }
  }
  return 'left';
}

/** Publishes a message to the parking queue with the reason. Returns false when that failed: then the message stays in its queue. */
async function park(message: IncomingMessage, error: unknown, options: Internal): Promise<boolean> {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  options.log.error({ err: error, queue: options.queue, message_id: message.id }, 'message parked');
  if (options.parked === undefined) return true;
  try {
    await options.publisher.publish({
      exchange: options.queue,
      routingKey: options.parked,
      body: message.body,
      messageId: message.id,
      headers: {
        'sigcast-reason': reason.slice(0, 1_000),
        'sigcast-queue': options.queue,
        'sigcast-routing-key': message.routingKey,
        'sigcast-parked-at': new Date().toISOString(),
      },
      traceparent: traceOf(message.headers),
    });
    return true;
  } catch (err) {
    options.log.warn({ err, queue: options.queue }, 'message could not be parked yet');
    return false;
  }
}
