import type { SignalEvent } from '@sigcast/contracts';

/** The body of a webhook, serialised once per event: every attempt to every subscriber sends these bytes. */
export function eventBody(event: SignalEvent): string {
  const { id, token, metrics, type, is_premium, performance, created_at } = event.data;
  return JSON.stringify({
    event: event.type,
    timestamp: event.occurred_at,
    data: { id, token, metrics, type, is_premium, performance, created_at },
  });
}
