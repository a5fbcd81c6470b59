import { type SigcastError, unavailable } from '@sigcast/contracts';
import type { ChannelModel, ConfirmChannel, Message } from 'amqplib';

/** A message to publish: `mandatory` and persistent, always. */
export type OutgoingMessage = {
  /** '' is the default exchange, whose routing key is a queue's name. */
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: Buffer;
  readonly messageId: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | number>>;
};

/** A confirm that does not come within this time counts as a failure; the message may arrive all the same. */
const confirmTimeoutMs = 5_000;

type Pending = { settle: (error?: SigcastError) => void; returned: boolean };

/** Publishes with confirms. One per connection; publishes are pipelined. */
export class Publisher {
  #channel: ConfirmChannel | undefined;
  #model: ChannelModel | undefined;
  readonly #pending = new Map<string, Pending>();
  #sequence = 0;

  /** Takes up a new connection. */
  async open(model: ChannelModel): Promise<void> {
    this.#model = model;
    const channel = await model.createConfirmChannel();
    channel.on('error', () => undefined); // 'close' follows and is what counts
    channel.on('close', () => this.#reopen(channel));
    channel.on('return', (message: Message) => {
      // basic.return comes before the confirm of the same message (RabbitMQ: Consumer Acknowledgements and Publisher Confirms).
      const pending = this.#pending.get(String(message.properties.correlationId));
      if (pending) pending.returned = true;
    });
    this.#channel = channel;
  }

  /** The connection is gone: what was not confirmed has failed. */
  lost(): void {
    this.#model = undefined;
    this.#channel = undefined;
    this.#failPending('The message broker');
  }

  /** @throws {SigcastError} SERVICE_UNAVAILABLE when the broker did not take the message into a queue. */
  publish(message: OutgoingMessage): Promise<void> {
    const channel = this.#channel;
    if (!channel) return Promise.reject(unavailable('The message broker'));
    const sequence = String(++this.#sequence);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () =>
          pending.settle(
            unavailable('The message broker', new Error(`no confirm within ${confirmTimeoutMs} ms`)),
          ),
        confirmTimeoutMs,
      );
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
        if (error) pending.settle(unavailable('The message broker', error));
        else if (pending.returned) pending.settle(unroutable(message));
        else pending.settle();
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
            ...(message.headers ? { headers: message.headers } : {}),
          },
          confirmed,
        );
      } catch (error) {
        pending.settle(unavailable('The message broker', error));
      }
    });
  }

  #reopen(closed: ConfirmChannel): void {
    if (this.#channel !== closed) return;
    this.#channel = undefined;
    this.#failPending('The message broker');
    // A channel the broker closed (a missing exchange, say) while the connection lives on.
    if (this.#model) this.open(this.#model).catch(() => undefined);
  }

  #failPending(what: string): void {
    for (const pending of [...this.#pending.values()]) pending.settle(unavailable(what));
  }
}

function unroutable(message: OutgoingMessage): SigcastError {
  return unavailable(
    'The message broker',
    new Error(`no queue takes ${message.routingKey} from exchange "${message.exchange}"`),
  );
}
