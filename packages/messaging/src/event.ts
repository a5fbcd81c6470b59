import { type EventPriority, eventRoutingKey, type SignalEvent, signalEventSchema } from '@sigcast/contracts';
import { type IncomingMessage, UnprocessableMessage } from './consumer.ts';
import type { OutgoingMessage } from './publisher.ts';

/** A signal event as a message: the routing key says its type and how urgent it is; its id is the message id. */
export function eventMessage(
  exchange: string,
  event: SignalEvent,
  priority: EventPriority = 'live',
): OutgoingMessage {
  return {
    exchange,
    routingKey: eventRoutingKey(event.type, priority),
    messageId: event.id,
    body: Buffer.from(JSON.stringify(signalEventSchema.parse(event))),
  };
}

/** A signal event as a message to one queue alone. */
export function eventMessageTo(queue: string, event: SignalEvent): OutgoingMessage {
  // By the default exchange, where each queue is bound under its name (AMQP 0-9-1, 3.1.3.1).
  return { ...eventMessage('', event), routingKey: queue };
}

/** @throws {UnprocessableMessage} when the body is not a signal event of a version this code knows. */
export function parseEvent(message: IncomingMessage): SignalEvent {
  let json: unknown;
  try {
    json = JSON.parse(message.body.toString('utf8'));
  } catch (cause) {
    throw new UnprocessableMessage('the body is not JSON', { cause });
  }
  const parsed = signalEventSchema.safeParse(json);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new UnprocessableMessage(`not a signal event of a known version: ${problems.join('; ')}`);
  }
  return parsed.data;
}
