import {
  type SignalType,
  signalTypeValues,
  type WebhookEventType,
  webhookEventTypeValues,
} from '@sigcast/client';
import { listIn } from './query-values.ts';

/** Which events are listed. An empty list leaves nothing out. */
export type EventFilter = {
  readonly events: readonly WebhookEventType[];
  readonly types: readonly SignalType[];
  /** Conditions on the signal in JSON, as the API takes them; null for none. */
  readonly conditions: string | null;
};

/** The filter in a page's address. A wrong value counts as left out; wrong conditions are the API's to name. */
export function eventFilterIn(search: string): EventFilter {
  const query = new URLSearchParams(search);
  return {
    events: listIn(query, 'events', webhookEventTypeValues),
    types: listIn(query, 'types', signalTypeValues),
    conditions: query.get('filter'),
  };
}

/** The filter as the API takes it, in a list and in a stream. */
export function eventChoice({ events, types, conditions }: EventFilter) {
  return {
    ...(events.length > 0 && { events }),
    ...(types.length > 0 && { types }),
    ...(conditions !== null && { filter: conditions }),
  };
}

/** The filter as a page's address has it. */
export function eventQuery(filter: EventFilter): URLSearchParams {
  return new URLSearchParams(
    Object.entries(eventChoice(filter)).map(([name, value]) => [name, String(value)]),
  );
}
