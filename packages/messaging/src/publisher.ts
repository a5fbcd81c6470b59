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
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** Where in which trace it was made (W3C Trace Context); it travels as a header. */
  readonly traceparent?: string | undefined;
};

/** A confirm that does not come within this time counts as a failure; the message may arrive all the same. */
const confirmTimeoutMs = 5_000;

/**
 * Why a message was not taken although the broker is there: one of the queues that it goes to is full, or can't be served
 * for now. Others of them may have it.
 */
class RefusedByQueue extends Error {
  override readonly name = 'RefusedByQueue';
}

/** Whether publishing failed because a queue is full or can't be served, while the broker is there. */
export function isRefusedByQueue(error: unknown): boolean {
  return error instanceof SigcastError && error.cause instanceof RefusedByQueue;
}

/** What publishing throws when a queue refused a message. */
export function refusedByQueue(reason: string): SigcastError {
  return unavailable('The message broker', new RefusedByQueue(reason));
}

/** The message header that says where in which trace a message was published (W3C Trace Context: AMQP). */
const traceHeader = 'traceparent';

type Pending = { settle: (error?: Error) => void; returned: boolean };

/** Publishes with confirms. One per connection; publishes are pipelined. */
export class Publisher {
  readonly #failing: FailingQueues;
  readonly #silent: () => void;
  #lastAnswerMs = 0;
  #blocked = false;
  #channel: ConfirmChannel | undefined;
  #model: ChannelModel | undefined;
  readonly #pending = new Map<string, Pending>();
  #sequence = 0;

  /**
   * `failing` is told of queues and exchanges that do not take what they are sent although the broker is there. `silent`
   * is called when nothing at all was answered for as long as a confirm may take: a node that is cut off from its
   * cluster keeps its clients and confirms nothing, and another one may serve.
   */
  constructor(failing: FailingQueues, silent: () => void) {
    this.#failing = failing;
    this.#silent = silent;
  }

  /** Takes up a new connection. */
  async open(model: ChannelModel): Promise<void> {
    this.#model = model;
    const channel = await model.createConfirmChannel();
    if (this.#model !== model) throw new Error('the connection was lost meanwhile');
    channel.on('error', () => undefined); // 'close' follows and is what counts
    // Before the library tells of what was not confirmed, which nobody has refused.
    channel.prependListener('close', () => this.#closed(channel, model));
    channel.on('return', (message: Message) => {
      // basic.return comes before the confirm of the same message (RabbitMQ: Consumer Acknowledgements and Publisher Confirms).
      const pending = this.#pending.get(String(message.properties.correlationId));
      if (pending) pending.returned = true;
    });
    this.#channel = channel;
  }

  /**
   * The broker is short of memory or disk and takes nothing from this connection, or does so again (RabbitMQ: Blocked
   * Connection Notifications). Meanwhile publishing fails at once, so that whoever publishes waits with what it has.
   */
  block(blocked: boolean): void {
    this.#blocked = blocked;
  }

  /** The connection is gone: what was not confirmed has failed. */
  lost(): void {
    this.#blocked = false;
    this.#model = undefined;
    this.#channel = undefined;
    this.#failPending('The message broker');
  }

  /** Whether the broker takes nothing for now. */
  get blocked(): boolean {
    return this.#blocked;
  }

  /** @throws {SigcastError} SERVICE_UNAVAILABLE when the broker did not take the message into a queue. */
  publish(message: OutgoingMessage): Promise<void> {
    const channel = this.#channel;
    if (!channel || this.#blocked) return Promise.reject(unavailable('The message broker'));
    const sequence = String(++this.#sequence);
    // By routing key: it decides which queues there are, and others of the exchange may work.
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
        if (!this.#blocked && this.#lastAnswerMs < sentMs) this.#silent();
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
            contentType: message.contentType ?? 'application/json',
            ...headersOf(message),
          },
          confirmed,
        );
      } catch (error) {
        pending.settle(notSent(error));
      }
    });
  }

  /** A channel the broker closed (a missing exchange, say) while the connection may live on. */
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
        // Usually the connection is going as well; then `lost` comes and ends this.
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

/** A closing channel refuses by an IllegalOperationError; anything else is a message that can't be encoded, a bug of its maker. */
function notSent(error: unknown): Error {
  if (error instanceof IllegalOperationError) return unavailable('The message broker', error);
  return error instanceof Error ? error : new Error(String(error));
}

/** Where in which trace a message was published, as it says itself. */
export function traceOf(headers: Readonly<Record<string, unknown>>): string | undefined {
  const value = headers[traceHeader];
  return typeof value === 'string' ? value : undefined;
}
