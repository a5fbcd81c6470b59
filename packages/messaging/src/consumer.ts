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

/** Throw this to send a message to the parking queue at once: it can never be handled as it is. */
export class UnprocessableMessage extends Error {
  override readonly name = 'UnprocessableMessage';
}

export type ConsumerOptions = {
  readonly queue: string;
  /** Where a message goes, with its reason, when it can't be handled. Absent: it is logged and dropped. */
  readonly parked?: string;
  /** Messages in hand at once. */
  readonly prefetch: number;
  /**
   * Resolves when the message is dealt with (then it is acknowledged). Throws a {@link SigcastError}, as calls of
   * stores do, to be called again after a pause; {@link UnprocessableMessage} to park.
   */
  readonly handle: (message: IncomingMessage) => Promise<void>;
};

export type Consumer = { close(): Promise<void> };

/** Calls for a failure nobody classified; then it's a bug in the handler or a message that triggers one. */
const maxUnexpectedFailures = 5;

type Internal = ConsumerOptions & {
  readonly log: Logger;
  readonly publisher: Publisher;
  /** Told when the broker does not let it consume, and when it does. */
  readonly failing: FailingQueues;
  readonly metrics: BrokerMetrics;
  /** Declares the topology again, on a connection. */
  readonly redeclare: (model: ChannelModel) => Promise<unknown>;
  /** False once the connection that `model` stands for is gone; recovery then brings another. */
  readonly isCurrent: (model: ChannelModel) => boolean;
};

/** A consumer that `follow` hands every fresh connection. It resolves after the first try, and never rejects. */
export type FollowingConsumer = Consumer & { follow(model: ChannelModel): Promise<void> };

/** How long the broker may take to answer when a consumer closes; afterwards its channel ends with the connection. */
const closeTimeoutMs = 1_000;

/** A queue that has not let its consumer in within this time counts as failing; the broker itself gives up after a minute. */
const consumeTimeoutMs = 5_000;

export function startConsumer(options: Internal): FollowingConsumer {
  const { queue, log, failing } = options;
  const stopping = new AbortController();
  const inHand = new Set<Promise<void>>();
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
      // Perhaps the broker closed only this channel; with the connection gone too, this ends at once.
      void resume(model);
    });
    const receive = (message: ConsumeMessage | null) => {
      if (message === null) {
        log.warn({ queue }, 'broker: queue gone, declaring it again');
        channel.close().catch(() => undefined);
        open = false; // nothing to acknowledge to any more
        return;
      }
      // Left unacknowledged, it is back in the queue when the channel closes.
      if (stopping.signal.aborted) return;
      const work = deal(message, options, stopping.signal, () => open)
        .then((settled) => {
          if (settled && open) channel.ack(message);
        })
        .catch((err: unknown) => log.error({ err, queue }, 'broker: message not settled'))
        .finally(() => inHand.delete(work));
      inHand.add(work);
    };
    try {
      await channel.prefetch(options.prefetch);
      const late = setInterval(
        () => failing.failed(queue, new Error(`it lets no consumer in within ${consumeTimeoutMs} ms`)),
        consumeTimeoutMs,
      );
      channel.once('close', () => clearInterval(late)); // of a lost connection there is no answer at all
      const { consumerTag } = await channel.consume(queue, receive).finally(() => clearInterval(late));
      // Channel and queue may be gone, or the consumer closed, since the answer was sent.
      if (!open) throw new Error('the channel closed as soon as it was open');
      if (stopping.signal.aborted) throw new Error('closed meanwhile');
      current = { channel, tag: consumerTag };
      failing.worked(queue);
    } catch (error) {
      await channel.close().catch(() => undefined);
      throw error;
    }
  };

  /** Begins again until it has worked, the connection is another one, or the consumer is closed. */
  const resume = async (model: ChannelModel): Promise<void> => {
    for (let attempt = 1; !stopping.signal.aborted; attempt++) {
      await pause(backoffMs(attempt, { firstMs: 50, maxMs: 2_000 }), stopping.signal).catch(() => undefined);
      if (stopping.signal.aborted || !options.isCurrent(model)) return;
      try {
        await options.redeclare(model);
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
      await Promise.allSettled(inHand);
      return;
    }
    // Deliveries stop while the messages in hand are finished; their acknowledgements go out before the close.
    const cancelled = last.channel.cancel(last.tag).catch(() => undefined);
    await Promise.allSettled(inHand);
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

/** Handles a message until it is done, parked, or the channel is lost. True: acknowledge it. */
async function deal(
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
  const outcome = await settle(incoming, options, stopping, open);
  options.metrics.processed(options.queue, startedAt, outcome, incoming);
  return outcome !== 'left';
}

async function settle(
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
      // What classifies itself speaks of a store or a service, never of the message.
      const classified = error instanceof SigcastError;
      const unprocessable = error instanceof UnprocessableMessage;
      if (!classified) unexpected++;
      if (unprocessable || unexpected >= maxUnexpectedFailures) {
        if (await park(incoming, error, options)) return 'parked';
      }
      options.log.warn(
        { err: error, queue: options.queue, message_id: incoming.id, attempt },
        'message not handled yet',
      );
      options.metrics.retried(options.queue);
      // Unacknowledged, it goes back to the queue when the channel closes.
      if (stopping.aborted) return 'left';
      await pause(backoffMs(attempt, { firstMs: 50, maxMs: 5_000 }), stopping).catch(() => undefined);
      if (stopping.aborted) return 'left';
    }
  }
  return 'left';
}

/** Puts a message aside with the reason. False when the broker did not take it: then it stays in its queue. */
async function park(message: IncomingMessage, error: unknown, options: Internal): Promise<boolean> {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  options.log.error({ err: error, queue: options.queue, message_id: message.id }, 'message parked');
  if (options.parked === undefined) return true;
  try {
    await options.publisher.publish({
      exchange: '',
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
