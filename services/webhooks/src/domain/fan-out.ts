import {
  type SignalEvent,
  type SignalType,
  type WebhookEventType,
  webhookEventTypes,
} from '@sigcast/contracts';
import type { Claimed, Recipient } from './attempting.ts';
import { eventBody } from './event-body.ts';

/** An event as its deliveries need it. */
export type OpenedEvent = {
  readonly id: string;
  readonly type: WebhookEventType;
  readonly signalId: string;
  readonly body: string;
};

/** What became of an event before: `done` when all its deliveries were made. */
export type KeptEvent = 'new' | 'begun' | 'done';

/** An event as its subscribers get it. */
export type StoredEvent = {
  readonly id: string;
  readonly type: WebhookEventType;
  readonly signalType: SignalType;
  readonly body: string;
  readonly occurredAt: Date;
};

/** What the fan-out needs of the stores, the broker and the worker it runs in. */
export type FanOutPorts = {
  /** Keeps the event at the next place of the feed; a second time changes nothing, so the first place and bytes stay. */
  keepEvent(event: StoredEvent): Promise<KeptEvent>;
  /** Enabled subscriptions that want this event of a signal of this type. */
  matching(event: WebhookEventType, type: SignalType): Promise<readonly Recipient[]>;
  /**
   * Makes the deliveries that are not there yet, those of `reserved` subscriptions under a lease of this worker's.
   * Returns the ids of all, and what is claimed.
   */
  openDeliveries(
    event: OpenedEvent,
    recipients: readonly Recipient[],
    reserved: ReadonlySet<string>,
  ): Promise<{ readonly ids: readonly string[]; readonly claimed: readonly Claimed[] }>;
  /** Remembers that all deliveries of an event are made. */
  finish(eventId: string): Promise<void>;
  /** Tells the workers of a delivery that is due. */
  point(deliveryId: string): Promise<void>;
  /** This worker's own slots. */
  readonly dispatcher: {
    tryReserve(subscription: string): boolean;
    free(subscription: string): void;
    start(claimed: Claimed): void;
    take(deliveryId: string): Promise<void>;
  };
};

/** Deliveries of one event that the worker that made them attempts itself; the others are for whoever has room. */
const ownShare = 500;

/**
 * Turns an event into one delivery per subscription that matches now. Every step may be repeated: an event that
 * comes twice, or whose handling was interrupted anywhere, ends with the same deliveries. One that was handled to
 * the end leads to no more of them: a subscription made since must not get old events when they are published again.
 *
 * Deliveries are made with their first attempt claimed where there is a slot, which saves the broker a message and
 * the store a write. What does not come to its attempt stays due in the store.
 */
export async function fanOut(event: SignalEvent, ports: FanOutPorts): Promise<void> {
  const type = webhookEventTypes.find((known) => known === event.type);
  if (type === undefined) return;
  const body = eventBody(type, event);
  const kept = await ports.keepEvent({
    ...{ id: event.id, type, signalType: event.data.type, body },
    occurredAt: new Date(event.occurred_at),
  });
  if (kept === 'done') return;
  const recipients = await ports.matching(type, event.data.type);
  if (recipients.length > 0)
    await deliver({ id: event.id, type, signalId: event.data.id, body }, recipients, kept === 'new', ports);
  await ports.finish(event.id);
}

async function deliver(
  event: OpenedEvent,
  recipients: readonly Recipient[],
  isNew: boolean,
  { openDeliveries, point, dispatcher }: FanOutPorts,
): Promise<void> {
  const reserved = new Set<string>();
  // The bytes to send are the ones stored first; only of a new event are they known here.
  for (const { id } of isNew ? recipients.slice(0, ownShare) : []) {
    if (dispatcher.tryReserve(id)) reserved.add(id);
  }
  const started = new Set<string>();
  let ids: readonly string[];
  try {
    const opened = await openDeliveries(event, recipients, reserved);
    for (const claimed of opened.claimed) {
      reserved.delete(claimed.delivery.subscription);
      started.add(claimed.delivery.id);
      dispatcher.start(claimed);
    }
    ids = opened.ids;
  } finally {
    for (const subscription of reserved) dispatcher.free(subscription);
  }
  const own = ids.slice(0, ownShare).filter((id) => !started.has(id));
  await Promise.all([...own.map((id) => dispatcher.take(id)), ...ids.slice(ownShare).map((id) => point(id))]);
}
