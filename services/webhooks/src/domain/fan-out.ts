import {
  type SignalEvent,
  type SignalType,
  type WebhookEventType,
  webhookEventTypes,
} from '@sigcast/contracts';
import { eventBody } from './event-body.ts';

/** An event as its subscribers get it. */
export type StoredEvent = {
  readonly id: string;
  readonly type: WebhookEventType;
  readonly signalType: SignalType;
  readonly body: string;
  readonly occurredAt: Date;
};

/** What the fan-out needs of the stores and the broker. */
export type FanOutPorts = {
  /** Keeps the event at the next place of the feed; a second time changes nothing, so the first place and bytes stay. */
  keepEvent(event: StoredEvent): Promise<void>;
  /** Enabled subscriptions that want this event of a signal of this type. */
  matching(event: WebhookEventType, type: SignalType): Promise<readonly { id: string; account: string }[]>;
  /** Makes the deliveries that are not there yet. Returns the ids of all. */
  openDeliveries(
    event: { readonly id: string; readonly type: WebhookEventType; readonly signalId: string },
    subscriptions: readonly { id: string; account: string }[],
  ): Promise<readonly string[]>;
  /** Tells the workers of a delivery that is due. */
  point(deliveryId: string): Promise<void>;
};

/**
 * Turns an event into one delivery per subscription that matches now. Every step may be repeated: an event that
 * comes twice, or whose handling was interrupted anywhere, ends with the same deliveries.
 */
export async function fanOut(event: SignalEvent, ports: FanOutPorts): Promise<void> {
  const type = webhookEventTypes.find((known) => known === event.type);
  if (type === undefined) return;
  await ports.keepEvent({
    id: event.id,
    type,
    signalType: event.data.type,
    body: eventBody(type, event),
    occurredAt: new Date(event.occurred_at),
  });
  const subscriptions = await ports.matching(type, event.data.type);
  if (subscriptions.length === 0) return;
  const ids = await ports.openDeliveries({ id: event.id, type, signalId: event.data.id }, subscriptions);
  await Promise.all(ids.map((id) => ports.point(id)));
}
