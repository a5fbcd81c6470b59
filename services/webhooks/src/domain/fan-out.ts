import {
  type EventPriority,
  isOfImport,
  type SignalType,
  type WebhookEventType,
  webhookEventTypes,
} from '@sigcast/contracts';
import type { ClaimedDelivery, Recipient } from './attempt-ports.ts';
import { eventBody, type FannedOutEvent } from './event-body.ts';

/** How far an earlier fan-out of an event came. `begun`: the event is in the event log. `done`: all its deliveries are made. */
export type FanOutProgress = 'new' | 'begun' | 'done';

/** An event as the event log stores it. */
export type StoredEvent = {
  readonly id: string;
  readonly type: WebhookEventType;
  readonly signalId: string;
  readonly signalType: SignalType;
  readonly body: string;
  readonly occurredAt: Date;
  /** The trace context of its fan-out, as a `traceparent` header (W3C Trace Context); absent outside of a trace. */
  readonly traceparent?: string | undefined;
  /** Whether the event belongs to an import; absent if not. */
  readonly imported?: boolean | undefined;
};

/** An event as its deliveries need it. */
export type OpenedEvent = Omit<StoredEvent, 'signalType' | 'occurredAt'> & {
  /** Whether the event was consumed before: some of its deliveries may exist. */
  readonly redelivered: boolean;
};

/** What the fan-out needs of the store and of its worker. */
export type FanOutPorts = {
  /** Appends the event to the event log. An event that is in the log keeps its sequence number and bytes. */
  appendEvent(event: StoredEvent): Promise<FanOutProgress>;
  /**
   * A page of the enabled subscriptions to this event of signals of this type: the next ones by id, {@link recipientsPage} or,
   * on the last page, fewer. `after`: the id of the last one before.
   */
  matching(event: WebhookEventType, type: SignalType, after: string): Promise<readonly Recipient[]>;
  /** Releases this worker's leases of these deliveries, which it does not attempt. */
  releaseLeases(deliveryIds: readonly string[]): Promise<void>;
  /** Makes the deliveries that do not exist yet, and claims the `reserved` ones. Returns the claimed deliveries. */
  openDeliveries(
    event: OpenedEvent,
    recipients: readonly Recipient[],
    reserved: ReadonlySet<string>,
  ): Promise<readonly ClaimedDelivery[]>;
  /** Marks subscriptions as having something due. */
  markDue(subscriptions: readonly string[]): Promise<void>;
  /** Stores that all deliveries of an event are made. */
  markFannedOut(eventId: string): Promise<void>;
  readonly deliveryId: (eventId: string, subscription: string) => string;
  /** The slots for attempts in this worker. */
  readonly scheduler: {
    tryReserve(recipient: Recipient, deliveryId: string): boolean;
    free(subscription: string, deliveryId: string): void;
    start(claimed: ClaimedDelivery): void;
    hasSlot(deliveryId: string): boolean;
    notifyDue(subscription: string): boolean;
  };
};

/** Subscriptions that are read, and deliveries that are made, at once: bounds memory and the size of commands. */
export const recipientsPage = 500;

/**
 * Makes one delivery of an event for each subscription that matches now. Each step may be repeated: an event that comes
 * twice, or whose handling was interrupted anywhere, ends with the same deliveries. An event whose deliveries are all made
 * gets no more of them, so that a newer subscription does not get old events that are published again.
 *
 * A delivery is made with its first attempt claimed where the worker has a slot. Otherwise its subscription is marked as due.
 *
 * @param options `priority`: of the queue that brought the event; live unless given. `traceparent`: the fan-out's own.
 * @returns how many deliveries the event has; undefined where there was nothing to do.
 */
export async function fanOut(
  event: FannedOutEvent,
  ports: FanOutPorts,
  { priority = 'live', traceparent }: { priority?: EventPriority; traceparent?: string | undefined } = {},
): Promise<number | undefined> {
  const type = webhookEventTypes.find((known) => known === event.type);
  if (type === undefined) return undefined;
  const body = eventBody(type, event);
  const origin = { traceparent, imported: isOfImport(type, priority) };
  const progress = await ports.appendEvent({
    id: event.id,
    type,
    signalId: event.data.id,
    signalType: event.data.type,
    body,
    occurredAt: new Date(event.occurred_at),
    ...origin,
  });
  if (progress === 'done') return undefined;
  const redelivered = progress !== 'new';
  const opened = { id: event.id, type, signalId: event.data.id, body, redelivered, ...origin };
  let count = 0;
  // Each page is read when the one before is delivered, so it knows which accounts were suspended meanwhile.
  for (let [after, isLast] = ['', false]; !isLast; ) {
    const recipients = await ports.matching(type, event.data.type, after);
    await deliver(opened, recipients, ports);
    count += recipients.length;
    after = recipients.at(-1)?.id ?? '';
    isLast = recipients.length < recipientsPage;
  }
  await ports.markFannedOut(event.id);
  return count;
}

async function deliver(
  event: OpenedEvent,
  recipients: readonly Recipient[],
  ports: FanOutPorts,
): Promise<void> {
  const { scheduler, deliveryId } = ports;
  if (recipients.length === 0) return;
  if (event.redelivered) {
    // This worker may have made and claimed these deliveries by a command whose answer was lost.
    const ids = recipients.map(({ id }) => deliveryId(event.id, id));
    await ports.releaseLeases(ids.filter((id) => !scheduler.hasSlot(id)));
  }
  const reserved = new Map<string, string>();
  // Deliveries send the bytes that were stored first. Those of a redelivered event are not known here.
  for (const recipient of event.redelivered ? [] : recipients.filter(({ suspended }) => !suspended)) {
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
  const waiting = recipients.filter(({ id }) => !started.has(id) && !scheduler.notifyDue(id));
  if (waiting.length > 0) await ports.markDue(waiting.map(({ id }) => id));
}
