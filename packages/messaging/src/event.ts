import {
  type AccountEvent,
  accountEventSchema,
  type EventPriority,
  eventRoutingKey,
  type OutgoingEvent,
  receivedSignalEventSchema,
  type WebhookNotice,
  webhookNoticeSchema,
} from '@sigcast/contracts';
import { type IncomingMessage, UnprocessableMessage } from './consumer.ts';
import type { OutgoingMessage } from './publisher.ts';

/**
 * A signal event as a message. Its routing key is made of type and priority, its message id is the event's id. Members that a
 * newer version added are passed on.
 *
 * @throws {z.ZodError} when it is no signal event.
 */
export function eventMessage(
  exchange: string,
  outgoing: OutgoingEvent,
  priority: EventPriority = 'live',
): OutgoingMessage {
  const { traceparent, ...event } = outgoing;
  receivedSignalEventSchema.parse(event);
  return {
    exchange,
    routingKey: eventRoutingKey(event.type, priority),
    messageId: event.id,
    body: Buffer.from(JSON.stringify(event)),
    ...(traceparent !== undefined && { traceparent }),
  };
}

/** An account event as a message: the routing key is its type, its id the message id. */
export function accountMessage(exchange: string, event: AccountEvent): OutgoingMessage {
  return messageOf(exchange, event);
}

/** A notice of a webhook as a message: the routing key is its type, its id the message id. */
export function webhookNoticeMessage(exchange: string, notice: WebhookNotice): OutgoingMessage {
  return messageOf(exchange, webhookNoticeSchema.parse(notice));
}

function messageOf(exchange: string, event: AccountEvent | WebhookNotice): OutgoingMessage {
  return {
    exchange,
    routingKey: event.type,
    messageId: event.id,
    body: Buffer.from(JSON.stringify(event)),
  };
}

/** A signal event as a message to one queue alone, by the exchange with its name. */
export function eventMessageTo(queue: string, event: OutgoingEvent): OutgoingMessage {
  return { ...eventMessage(queue, event), routingKey: queue };
}

/**
 * Parses the part of a signal event that a consumer reads. Members outside of `schema` may change.
 *
 * @throws {UnprocessableMessage} when the body is not such an event.
 */
export function parseEventAs<T>(message: IncomingMessage, schema: Schema<T>): T {
  return parse(message, schema, 'a signal event');
}

/** @throws {UnprocessableMessage} when the body is not an account event of a version this code knows. */
export function parseAccountEvent(message: IncomingMessage): AccountEvent {
  return parse(message, accountEventSchema, 'an account event');
}

/** @throws {UnprocessableMessage} when the body is not a notice of a version this code knows. */
export function parseWebhookNotice(message: IncomingMessage): WebhookNotice {
  return parse(message, webhookNoticeSchema, 'a notice of a webhook');
}

/** The part of a zod schema that is used here. */
type Schema<T> = {
  safeParse(
    value: unknown,
  ):
    | { success: true; data: T }
    | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };
};

function parse<T>(message: IncomingMessage, schema: Schema<T>, what: string): T {
  let json: unknown;
  try {
    json = JSON.parse(message.body.toString('utf8'));
  } catch (cause) {
    throw new UnprocessableMessage('the body is not JSON', { cause });
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new UnprocessableMessage(`not ${what} of a known version: ${problems.join('; ')}`);
  }
  return parsed.data;
}
