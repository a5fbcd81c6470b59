import {
  type EventPriority,
  isOfImport,
  type SignalType,
  type WebhookEventType,
  webhookEventTypes,
} from '@sigcast/contracts';
import type { OpenedDelivery, Recipient } from './attempt-ports.ts';
import { eventPayload, type FannedOutEvent } from './event-body.ts';
import type { EventFilter } from './event-filter.ts';

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
  /** The symbol of its signal's token. */
  readonly symbol: string;
  /** Whether the event was consumed before: some of its deliveries may exist. */
  readonly redelivered: boolean;
};

/** A subscription to an event. `filter`: the conditions that the event's signal has to meet; null for none. */
export type Candidate = Recipient & { readonly filter: string | null };

/** What the fan-out needs of the store and of its worker. */
export type FanOutPorts = {
  /** Appends the event to the event log. An event that is in the log keeps its sequence number and bytes. */
  appendEvent(event: StoredEvent): Promise<FanOutProgress>;
  /**
   * A page of the enabled subscriptions to this event of signals of this type: the next ones by id, {@link candidatesPage} or,
   * on the last page, fewer. `after`: the id of the last one before.
   */
  matching(event: WebhookEventType, type: SignalType, after: string): Promise<readonly Candidate[]>;
  readonly meets: EventFilter;
  /** Makes the deliveries that do not exist yet, due at once. */
  openDeliveries(event: OpenedEvent, recipients: readonly Recipient[]): Promise<readonly OpenedDelivery[]>;
  /** Has these deliveries attempted, whichever worker dies afterwards. */
  notify(opened: readonly OpenedDelivery[]): Promise<void>;
  /** Stores that all deliveries of an event are made. */
  markFannedOut(eventId: string): Promise<void>;
};

/** Subscriptions that are read, and deliveries that are made, at once: bounds memory and the size of commands. */
export const candidatesPage = 500;

/**
 * Makes one delivery of an event for each subscription that matches now. Each step may be repeated: an event that comes
 * twice, or whose handling was interrupted anywhere, ends with the same deliveries. An event whose deliveries are all made
 * gets no more of them, so that a newer subscription does not get old events that are published again.
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
  const payload = eventPayload(type, event);
  const body = JSON.stringify(payload);
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
  const opened = {
    id: event.id,
    type,
    signalId: event.data.id,
    symbol: event.data.token.symbol,
    body,
    redelivered,
    ...origin,
  };
  let count = 0;
  // Each page is read when the one before is delivered, so it knows which accounts were suspended meanwhile.
  for (let [after, isLast] = ['', false]; !isLast; ) {
    const candidates = await ports.matching(type, event.data.type, after);
    const recipients = candidates.filter(
      ({ filter }) => filter === null || ports.meets(filter, payload.data),
    );
    if (recipients.length > 0) await ports.notify(await ports.openDeliveries(opened, recipients));
    count += recipients.length;
    after = candidates.at(-1)?.id ?? '';
    isLast = candidates.length < candidatesPage;
  }
  await ports.markFannedOut(event.id);
  return count;
}
