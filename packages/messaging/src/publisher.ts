import { SigcastError, unavailable } from '@sigcast/contracts';
import { backoffMs, pause } from '@sigcast/runtime';
import { type ChannelModel, type ConfirmChannel, IllegalOperationError, type Message } from 'amqplib';
import type { FailingQueues } from './failing-queues.ts';

/** A message to publish: `mandatory` and persistent, always. */
export type OutgoingMessage = {
  /** '' is the default exchange, whose routing key is a queue's name. */
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: Buffer;
  readonly messageId: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** The trace context in which it was made (W3C Trace Context), which is sent as a header. */
  readonly traceparent?: string | undefined;
};

/** How long to wait for a confirm, in milliseconds. After that publishing has failed; the message may arrive all the same. */
const confirmTimeoutMs = 5_000;

/**
 * The broker is connected and did not accept a message, because one of its queues is full or unavailable. Its other queues
 * may have the message.
 */
class RefusedByQueue extends Error {
  override readonly name = 'RefusedByQueue';
}

/** Whether publishing failed because a queue is full or unavailable, while the broker is connected. */
export function isRefusedByQueue(error: unknown): boolean {
  return error instanceof SigcastError && error.cause instanceof RefusedByQueue;
}

/** The error that publishing throws when a queue refused a message. */
export function refusedByQueue(reason: string): SigcastError {
  return unavailable('The message broker', new RefusedByQueue(reason));
}

/** The message header with the trace context of the publication (W3C Trace Context: AMQP). */
const traceHeader = 'traceparent';

type Pending = { settle: (error?: Error) => void; returned: boolean };

/** Publishes with confirms. One per connection; publishes are pipelined. */
export class Publisher {
  readonly #failing: FailingQueues;
  readonly #onSilence: () => void;
  #lastAnswerMs = 0;
  #blocked = false;
  #channel: ConfirmChannel | undefined;
  #model: ChannelModel | undefined;
  readonly #pending = new Map<string, Pending>();
  #sequence = 0;

  /**
   * `failing`: gets reports of queues and exchanges that refuse messages or accept them. `onSilence` is called when the broker
   * answered nothing for {@link confirmTimeoutMs}: a node that is cut off from its cluster keeps its connections and confirms
   * nothing, while another node may serve.
   */
  constructor(failing: FailingQueues, onSilence: () => void) {
    this.#failing = failing;
    this.#onSilence = onSilence;
  }

  /** Publishes on a new connection from now on. */
  async open(model: ChannelModel): Promise<void> {
    this.#model = model;
    const channel = await model.createConfirmChannel();
    if (this.#model !== model) throw new Error('the connection was lost meanwhile');
    channel.on('error', () => undefined); // 'close' follows and is what counts
    // This listener runs before the library fails the unconfirmed messages, which no queue has refused.
    channel.prependListener('close', () => this.#closed(channel, model));
    channel.on('return', (message: Message) => {
      // basic.return comes before the confirm of the same message (RabbitMQ: Consumer Acknowledgements and Publisher Confirms).
      const pending = this.#pending.get(String(message.properties.correlationId));
      if (pending) pending.returned = true;
    });
    this.#channel = channel;
  }

  /**
   * The broker blocks publishing for want of memory or disk, or unblocks it (RabbitMQ: Blocked Connection Notifications).
   * While it is blocked, publishing fails at once.
   */
  block(blocked: boolean): void {
    this.#blocked = blocked;
  }

  /** The connection is lost: unconfirmed messages have failed. */
  lost(): void {
    this.#blocked = false;
    this.#model = undefined;
    this.#channel = undefined;
    this.#failPending('The message broker');
  }

  /** Whether the broker blocks publishing. */
  get blocked(): boolean {
    return this.#blocked;
  }

  /** @throws {SigcastError} SERVICE_UNAVAILABLE when the broker did not take the message into a queue. */
  publish(message: OutgoingMessage): Promise<void> {
    const channel = this.#channel;
    if (!channel || this.#blocked) return Promise.reject(unavailable('The message broker'));
    const sequence = String(++this.#sequence);
    // Reported by routing key, which decides about the queues: other queues of the exchange may work.
    const target = message.exchange ? `${message.exchange} (${message.routingKey})` : message.routingKey;
    return new Promise((resolve, reject) => {
      const refuse = (reason: string) => {
        const refusal = refusedByQueue(reason);
        if (this.#pending.has(sequence)) this.#failing.failed(target, refusal.cause);
        pending.settle(refusal);
      };
      const sentMs = performance.now();
      const timer = setTimeout(() => {
        refuse(`no confirm within ${confirmTimeoutMs} ms`);
        if (!this.#blocked && this.#lastAnswerMs < sentMs) this.#onSilence();
      }, confirmTimeoutMs);
      const pending: Pending = {
        returned: false,
        settle: (error) => {
          if (!this.#pending.delete(sequence)) return;
          clearTimeout(timer);
          if (error) reject(error);
          else resolve();
        },
      };
      this.#pending.set(sequence, pending);
      const confirmed = (error: unknown) => {
        this.#lastAnswerMs = performance.now();
        if (error) refuse('a queue is full or refuses messages');
        else if (pending.returned) pending.settle(unroutable(message));
        else {
          this.#failing.worked(target);
          pending.settle();
        }
      };
      try {
        channel.publish(
          message.exchange,
          message.routingKey,
          message.body,
          {
            mandatory: true,
            persistent: true,
            messageId: message.messageId,
            correlationId: sequence,
            contentType: 'application/json',
            ...headersOf(message),
          },
          confirmed,
        );
      } catch (error) {
        pending.settle(sendError(error));
      }
    });
  }

  /** The channel has closed, for example for a missing exchange. The connection may still be open. */
  #closed(channel: ConfirmChannel, model: ChannelModel): void {
    if (this.#channel !== channel) return;
    this.#channel = undefined;
    this.#failPending('The message broker');
    void this.#reopen(model);
  }

  async #reopen(model: ChannelModel): Promise<void> {
    for (let attempt = 1; this.#model === model; attempt++) {
      try {
        await this.open(model);
        return;
      } catch {
        // If the connection is lost as well, `lost` is called and ends this loop.
        await pause(backoffMs(attempt, { firstMs: 50, maxMs: 2_000 }));
      }
    }
  }

  #failPending(what: string): void {
    for (const pending of [...this.#pending.values()]) pending.settle(unavailable(what));
  }
}

function headersOf({ headers, traceparent }: OutgoingMessage) {
  if (traceparent === undefined) return headers ? { headers } : {};
  return { headers: { ...headers, [traceHeader]: traceparent } };
}

function unroutable(message: OutgoingMessage): SigcastError {
  return unavailable(
    'The message broker',
    new Error(`no queue takes ${message.routingKey} from exchange "${message.exchange}"`),
  );
}

/** The error of a message that was not sent: the channel is closing (IllegalOperationError), or the message cannot be encoded, which is a bug. */
function sendError(error: unknown): Error {
  if (error instanceof IllegalOperationError) return unavailable('The message broker', error);
  return error instanceof Error ? error : new Error(String(error));
}

/** The trace context of a message's publication. */
export function traceOf(headers: Readonly<Record<string, unknown>>): string | undefined {
  const value = headers[traceHeader];
  return typeof value === 'string' ? value : undefined;
}
