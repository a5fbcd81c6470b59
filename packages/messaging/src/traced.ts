import { withRequestId } from '@sigcast/runtime';
import { inSpan, parseTraceparent, traceparentOf } from '@sigcast/telemetry';
import { type OutgoingMessage, type Publisher, traceOf } from './publisher.ts';

/** Publishes a message. If it was made in a trace, a span of this trace is its consumers' parent. */
export function publishTraced(message: OutgoingMessage, publisher: Publisher): Promise<void> {
  const parent = parseTraceparent(message.traceparent);
  if (parent === undefined) return publisher.publish(message);
  const target = message.exchange || message.routingKey;
  const attributes = {
    'messaging.system': 'rabbitmq',
    'messaging.operation.type': 'send',
    'messaging.destination.name': target,
    'messaging.rabbitmq.destination.routing_key': message.routingKey,
    'messaging.message.id': message.messageId,
  };
  return inSpan(
    `publish ${target}`,
    { kind: 'producer', parent, attributes, requestId: message.messageId },
    (span) => publisher.publish({ ...message, traceparent: traceparentOf(span?.context ?? parent) }),
  );
}

/** Handles a message in the trace of its publication. */
export function handleTraced<
  M extends { readonly id: string; readonly headers: Readonly<Record<string, unknown>> },
>(
  message: M,
  { queue, handle }: { readonly queue: string; readonly handle: (message: M) => Promise<void> },
): Promise<void> {
  const parent = parseTraceparent(traceOf(message.headers));
  // A message without a trace begins none.
  if (parent === undefined) return withRequestId(message.id, () => handle(message));
  const attributes = {
    'messaging.system': 'rabbitmq',
    'messaging.operation.type': 'process',
    'messaging.destination.name': queue,
    'messaging.message.id': message.id,
  };
  return inSpan(`process ${queue}`, { kind: 'consumer', parent, attributes, requestId: message.id }, () =>
    handle(message),
  );
}
