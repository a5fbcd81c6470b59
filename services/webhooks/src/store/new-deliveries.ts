import type { SentEventType } from '@sigcast/contracts';
import { duplicateWrites } from '@sigcast/mongo';
import type { DeliveryDocument } from './documents.ts';
import type { Models } from './models.ts';

/** A delivery's id says its event and its subscription, so making it again finds it. */
export function deliveryId(eventId: string, subscription: string): string {
  return `${eventId}.${subscription}`;
}

/** The subscription a delivery's id names. */
export function subscriptionOf(id: string): string {
  return id.slice(id.indexOf('.') + 1);
}

/** The event a delivery's id names. */
export function eventOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}

/** A delivery about to begin. Its subscription is marked as due besides, unless it is claimed at once. */
export function newDelivery(
  event: {
    readonly id: string;
    readonly type: SentEventType;
    readonly signalId: string | null;
    /** In the feed, if it is there. */
    readonly place?: number | undefined;
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
    ...(subscription.ordered && { place: event.place ?? 0 }),
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

/** Stores those deliveries that are not there yet; what is there stays as it is. */
export async function insertMissing(
  deliveries: Models['deliveries'],
  documents: readonly DeliveryDocument[],
): Promise<void> {
  await onceOnly(() =>
    deliveries.bulkWrite(
      documents.map(({ _id, ...fields }) => ({
        updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true },
      })),
      { ordered: false },
    ),
  );
}

/** Two at once that both mean to make a document: the one that comes second finds it made, and gets nothing. */
export async function onceOnly<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (!duplicateWrites(error)) throw error;
    return undefined;
  }
}
