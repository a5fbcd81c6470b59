import type { SignalEvent, WebhookEventType, WebhookPayload } from '@sigcast/contracts';

/** The body of an event's webhooks, serialised once: each attempt at each subscription sends these bytes. */
export function eventBody(type: WebhookEventType, event: SignalEvent): string {
  const { id, token, metrics, type: kind, is_premium, performance, created_at } = event.data;
  const payload: WebhookPayload = {
    event: type,
    timestamp: event.occurred_at,
    data: { id, token, metrics, type: kind, is_premium, performance, created_at },
  };
  return JSON.stringify(payload);
}
