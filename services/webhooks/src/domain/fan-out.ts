import {
  type EventPriority,
  isOfImport,
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
  readonly traceparent?: string | undefined;
  readonly imported?: boolean | undefined;
  /** It came before: some of its deliveries may be made. */
  readonly again: boolean;
};

/** What became of an event before: `done` when all its deliveries were made. */
export type KeptEvent = 'new' | 'begun' | 'done';

/** An event as its subscribers get it. */
export type StoredEvent = {
  readonly id: string;
  readonly type: WebhookEventType;
  readonly signalId: string;
  readonly signalType: SignalType;
  readonly body: string;
  readonly occurredAt: Date;
  /** Where in which trace it was fanned out: what its deliveries go on from, hours later, as a `traceparent` header (W3C Trace Context); absent in none. */
  readonly traceparent?: string | undefined;
  /** Whether it is one of an import's many; absent if not. */
  readonly imported?: boolean | undefined;
};

/** What the fan-out needs of the stores, the broker and the worker it runs in. */
export type FanOutPorts = {
  /** Keeps the event at the next place of the feed; a second time changes nothing, so the first place and bytes stay. */
  keepEvent(event: StoredEvent): Promise<KeptEvent>;
  /** Enabled subscriptions that want this event of a signal of this type. */
  matching(event: WebhookEventType, type: SignalType): Promise<readonly Recipient[]>;
  /** Those of these subscriptions whose accounts are suspended by now. */
  held(subscriptions: readonly string[]): Promise<ReadonlySet<string>>;
  /** Gives back what stands under this worker's lease of these deliveries: it attempts none of them. */
  giveBack(deliveryIds: readonly string[]): Promise<void>;
  /** Makes the deliveries that are not there yet, the `reserved` ones claimed. Returns what is claimed. */
  openDeliveries(
    event: OpenedEvent,
    recipients: readonly Recipient[],
    reserved: ReadonlySet<string>,
  ): Promise<readonly Claimed[]>;
  /** Marks subscriptions as having something due. */
  markDue(subscriptions: readonly string[]): Promise<void>;
  /** Remembers that all deliveries of an event are made. */
  finish(eventId: string): Promise<void>;
  readonly deliveryId: (eventId: string, subscription: string) => string;
  /** This worker's own places. */
  readonly scheduler: {
    tryReserve(recipient: Recipient, deliveryId: string): boolean;
    free(subscription: string, deliveryId: string): void;
    start(claimed: Claimed): void;
    hasInHand(deliveryId: string): boolean;
    noticeDue(subscription: string): boolean;
  };
};

/** Deliveries of one event that are made in one go: a bound on memory and on the size of a command. */
const chunkSize = 500;

/**
 * Turns an event into one delivery per subscription that matches now. Every step may be repeated: an event that
 * comes twice, or whose handling was interrupted anywhere, ends with the same deliveries. One that was handled to
 * the end leads to no more of them: a subscription made since must not get old events when they are published again.
 *
 * Deliveries are made with their first attempt claimed where there is room. Of the others the store says that their
 * subscriptions have something due.
 *
 * `priority`: of the queue it came by; live unless given. `traceparent`: where in which trace that is done.
 * @returns how many deliveries the event has; undefined where there was nothing to do.
 */
export async function fanOut(
  event: SignalEvent,
  ports: FanOutPorts,
  { priority = 'live', traceparent }: { priority?: EventPriority; traceparent?: string | undefined } = {},
): Promise<number | undefined> {
  const type = webhookEventTypes.find((known) => known === event.type);
  if (type === undefined) return undefined;
  const body = eventBody(type, event);
  const how = { traceparent, imported: isOfImport(type, priority) };
  const kept = await ports.keepEvent({
    ...{ id: event.id, type, signalId: event.data.id, signalType: event.data.type, body },
    ...{ occurredAt: new Date(event.occurred_at), ...how },
  });
  if (kept === 'done') return undefined;
  const recipients = await ports.matching(type, event.data.type);
  const again = kept !== 'new';
  const opened = { id: event.id, type, signalId: event.data.id, body, again, ...how };
  for (let from = 0; from < recipients.length; from += chunkSize) {
    const chunk = recipients.slice(from, from + chunkSize);
    // Those before took their time: what was read of accounts may be old.
    const held = from > 0 ? await ports.held(chunk.map(({ id }) => id)) : new Set<string>();
    const asNow = chunk.map((one) => (held.has(one.id) ? { ...one, held: true } : one));
    await deliver(opened, asNow, ports);
  }
  await ports.finish(event.id);
  return recipients.length;
}

async function deliver(
  event: OpenedEvent,
  recipients: readonly Recipient[],
  ports: FanOutPorts,
): Promise<void> {
  const { scheduler, deliveryId } = ports;
  if (event.again) {
    // The answer to the command that made them may have been lost.
    const ids = recipients.map(({ id }) => deliveryId(event.id, id));
    await ports.giveBack(ids.filter((id) => !scheduler.hasInHand(id)));
  }
  const reserved = new Map<string, string>();
  // The bytes to send are the ones stored first; only of a new event are they known here.
  for (const recipient of event.again ? [] : recipients.filter(({ held }) => !held)) {
    const id = deliveryId(event.id, recipient.id);
    if (scheduler.tryReserve(recipient, id)) reserved.set(id, recipient.id);
  }
  const started = new Set<string>();
  try {
    for (const claimed of await ports.openDeliveries(event, recipients, new Set(reserved.keys()))) {
      reserved.delete(claimed.delivery.id);
      started.add(claimed.delivery.subscription);
      scheduler.start(claimed);
    }
  } finally {
    for (const [id, subscription] of reserved) scheduler.free(subscription, id);
  }
  const waiting = recipients.filter(({ id }) => !started.has(id) && !scheduler.noticeDue(id));
  if (waiting.length > 0) await ports.markDue(waiting.map(({ id }) => id));
}
