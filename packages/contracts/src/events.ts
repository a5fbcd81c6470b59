import { z } from 'zod';
import { timestamp } from './members.ts';
import { eventIdSchema } from './resources/event-feed.ts';
import { originSchema } from './resources/origin.ts';
import { realizableSchema, receivedRealizableSchema } from './resources/realizable.ts';
import { signalDetailSchema } from './resources/signal.ts';
import { tolerant } from './tolerant.ts';

/** The header of an answer to a producer with the id of the change's event, which is also in logs and deliveries. */
export const eventIdHeader = 'X-Event-Id';

/** The events of signals. `signal.updated` is internal; subscribers get the others. */
export const signalEventTypes = [
  'signal.new',
  'signal.updated',
  'signal.winner',
  'signal.dead',
  'signal.rugged',
] as const;
export type SignalEventType = (typeof signalEventTypes)[number];

/** The envelope's version. A consumer parks an event with another version. */
export const signalEventVersion = 1;

/** Who says what a signal's figures or its status are: the tracker, or another producer. */
const changeSources = ['tracker', 'producer'] as const;
export type ChangeSource = (typeof changeSources)[number];

/** The most observations that a decision names. */
const maxEvidence = 10;

/** The evidence for a decision about a status. */
export const evidenceSchema = z.strictObject({
  /** The version of the rule, such as `v1`; `v1-custom` where an operator has set other thresholds. */
  rule: z.string().regex(/^v[1-9][0-9]{0,3}(-custom)?$/, 'must be a version of the rules, such as v1'),
  /** When the observations were made that the decision rests on. */
  observations: z.array(timestamp).min(1).max(maxEvidence),
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** Where a change comes from. */
const changeSchema = z.strictObject({
  /** When the figures were observed; of a change of status alone: when the newest figures were. */
  observed_at: timestamp,
  source: z.enum(changeSources),
  /** Only with a change of status that a rule decided. */
  evidence: evidenceSchema.optional(),
  /** Only of a new signal whose producer has said so: the rule that made it, and when its figures were observed. */
  origin: originSchema.pick({ rule: true, observed_at: true }).optional(),
});

/**
 * A change of a signal, as a message of the broker: the whole signal after the change. `id` identifies the event everywhere,
 * and is the subscriber's `webhook-id`. `rev` counts a signal's changes from 1: it tells an older state from a newer one, in
 * whatever order events arrive.
 */
export const signalEventSchema = z.strictObject({
  id: eventIdSchema,
  type: z.enum(signalEventTypes),
  version: z.literal(signalEventVersion),
  occurred_at: timestamp,
  rev: z.int().min(1).meta({ example: 1 }),
  data: signalDetailSchema,
  change: changeSchema,
  /** As of this change; absent where the tracker knows of no position. */
  realizable: realizableSchema.optional(),
});
export type SignalEvent = z.infer<typeof signalEventSchema>;

/**
 * A signal's event on its way to the broker, with the trace context in which it was made (W3C Trace Context: `traceparent`).
 * The trace context is not part of the event; it is sent in the message's headers.
 */
export type OutgoingEvent = SignalEvent & { readonly traceparent?: string | undefined };

/** A signal's event as consumers read it: they ignore members that a newer service sends. */
export const receivedSignalEventSchema = tolerant(signalEventSchema).extend({
  realizable: receivedRealizableSchema.optional(),
});

/** The type of an event, for a consumer that also reads events of types that it does not know. */
export const anyEventTypeSchema = z.string();

/**
 * The priority of an event. Events of an import are `bulk`: live events go before them.
 * The message's routing key carries the priority, see `eventRoutingKey`.
 */
export const eventPriorities = ['live', 'bulk'] as const;
export type EventPriority = (typeof eventPriorities)[number];

/**
 * Whether an event comes from an import, which makes so many events that each gets fewer log lines. An import only creates
 * signals. Later changes of such a signal are also bulk for a day, but are not of the import.
 */
export function isOfImport(type: SignalEventType, priority: EventPriority): boolean {
  return priority === 'bulk' && type === 'signal.new';
}

/** The routing key of an event's message: its type, with `bulk.` in front for a bulk event. */
export function eventRoutingKey(type: SignalEventType | 'signal.*', priority: EventPriority): string {
  return priority === 'bulk' ? `bulk.${type}` : type;
}

/** The priority of an event, from its message's routing key. */
export function priorityOfRoutingKey(routingKey: string): EventPriority {
  return routingKey.startsWith('bulk.') ? 'bulk' : 'live';
}
