import { receivedSignalEventSchema, type WebhookEventType, type WebhookPayload } from '@sigcast/contracts';

/**
 * What is read of an event. No subscriber gets where a change comes from, or what the exit rule says, so neither is read: an
 * event with a newer form of either is not parked.
 */
export const fannedOutEventSchema = receivedSignalEventSchema.omit({ change: true, realizable: true });
export type FannedOutEvent = ReturnType<typeof fannedOutEventSchema.parse>;

/** The body of a request with several events: an array of their bodies, each with its id as its first member. */
export function batchBody(events: readonly { readonly id: string; readonly body: string }[]): string {
  return `[${events.map(({ id, body }) => `{"id":${JSON.stringify(id)},${body.slice(1)}`).join(',')}]`;
}

/** What subscribers get of an event. Its body is serialised once: each attempt at each subscription sends the same bytes. */
export function eventPayload(type: WebhookEventType, event: FannedOutEvent): WebhookPayload {
  const { id, token, metrics, type: kind, is_premium, performance, created_at } = event.data;
  return {
    event: type,
    timestamp: event.occurred_at,
    data: { id, token, metrics, type: kind, is_premium, performance, created_at },
  };
}
