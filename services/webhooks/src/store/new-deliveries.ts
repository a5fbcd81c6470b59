import type { SentEventType } from '@sigcast/contracts';
import { isInserted } from '@sigcast/mongo';
import type { DeliveryDocument } from './documents.ts';
import type { Models } from './models.ts';

/** A delivery's id is made of its event and its subscription, so that making a delivery twice makes it once. */
export function deliveryId(eventId: string, subscription: string): string {
  return `${eventId}.${subscription}`;
}

/** The subscription in a delivery's id. */
export function subscriptionOf(id: string): string {
  return id.slice(id.indexOf('.') + 1);
}

/** The event in a delivery's id. */
export function eventOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}

/** A new delivery, due at once. The caller notifies or marks its lane. */
export function newDelivery(
  event: {
    readonly id: string;
    readonly type: SentEventType;
    readonly signalId: string | null;
    /** The symbol of that signal's token. */
    readonly symbol?: string | undefined;
    /** Its sequence number, if it is in the feed. */
    readonly sequence?: number | undefined;
  },
  subscription: { readonly id: string; readonly account: string; readonly ordered?: boolean },
  at: Date,
): DeliveryDocument {
  return {
    _id: deliveryId(event.id, subscription.id),
    account: subscription.account,
    subscription: subscription.id,
    event_id: event.id,
    event: event.type,
    signal_id: event.signalId,
    ...(event.symbol !== undefined && { symbol: event.symbol }),
    ...(subscription.ordered && { sequence: event.sequence ?? 0 }),
    status: 'pending',
    attempt_count: 0,
    attempts: [],
    next_attempt_at: at,
    lease: null,
    crashes: 0,
    created_at: at,
    updated_at: at,
  };
}

/** Inserts the deliveries that do not exist yet; existing ones stay as they are. */
export async function insertMissing(
  deliveries: Models['deliveries'],
  documents: readonly DeliveryDocument[],
): Promise<void> {
  await isInserted(() =>
    deliveries.bulkWrite(
      documents.map(({ _id, ...fields }) => ({
        updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true },
      })),
      { ordered: false },
    ),
  );
}
