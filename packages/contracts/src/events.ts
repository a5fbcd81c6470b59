import { z } from 'zod';
import { signalDetailSchema } from './signal.ts';
import { tolerant } from './tolerant.ts';

/** The header in which an answer to a producer names the event that tells of the change: logs and deliveries have it. */
export const eventIdHeader = 'X-Event-Id';

/** Everything that can happen to a signal. `signal.updated` stays inside; the others reach subscribers. */
export const signalEventTypes = [
  'signal.new',
  'signal.updated',
  'signal.winner',
  'signal.dead',
  'signal.rugged',
] as const;
export type SignalEventType = (typeof signalEventTypes)[number];

/** The envelope's version. A consumer parks what carries another one. */
export const signalEventVersion = 1;

/**
 * A change of a signal, as it travels through the broker: the whole signal after the change.
 * `id` is the event's identity everywhere, up to the subscriber's `webhook-id`; `rev` counts a signal's
 * changes from 1, so a consumer can tell an older state from a newer one whatever order they arrive in.
 */
export const signalEventSchema = z.strictObject({
  id: z.string().regex(/^evt_[0-9A-Za-z]{20,26}$/),
  type: z.enum(signalEventTypes),
  version: z.literal(signalEventVersion),
  occurred_at: z.iso.datetime({ offset: true }),
  rev: z.int().min(1),
  data: signalDetailSchema,
});
export type SignalEvent = z.infer<typeof signalEventSchema>;

/**
 * A signal's event on its way to the broker, with where in which trace it was made (W3C Trace Context: `traceparent`). That
 * is no part of the event: it travels beside it, in the message's headers.
 */
export type OutgoingEvent = SignalEvent & { readonly traceparent?: string | undefined };

/** A signal's event as its consumers read it: they know what is above, and a newer service may send more. */
export const receivedSignalEventSchema = tolerant(signalEventSchema);

/**
 * How urgent an event is. `bulk` is what came in great number at once, by an import or by filling a lost queue: it goes
 * behind what is live. The message's routing key says so, see `eventRoutingKey`.
 */
export type EventPriority = (typeof eventPriorities)[number];
export const eventPriorities = ['live', 'bulk'] as const;

/**
 * Whether an event is one of the many that an import makes, of which each is told of less. Imports make signals; what changes
 * one of these later is bulk for a day, too, and comes one at a time.
 */
export function isOfImport(type: SignalEventType, priority: EventPriority): boolean {
  return priority === 'bulk' && type === 'signal.new';
}

/** The routing key of an event's message: its type, with `bulk.` in front of a bulk event's. */
export function eventRoutingKey(type: SignalEventType | 'signal.*', priority: EventPriority): string {
  return priority === 'bulk' ? `bulk.${type}` : type;
}

/** The priority that a message's routing key says its event has. */
export function priorityOfRoutingKey(routingKey: string): EventPriority {
  return routingKey.startsWith('bulk.') ? 'bulk' : 'live';
}
