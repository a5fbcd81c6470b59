import type { SentEventType } from '@sigcast/contracts';
import { isDuplicateKey, storeCall } from '@sigcast/mongo';
import { mongo } from 'mongoose';
import type { FanOutPorts } from '../domain/fan-out.ts';
import { type DeliveryDocument, indexNames, type Models } from './documents.ts';
import { eventKeeper } from './event-keeper.ts';

/** Time after which the sweeper looks at a delivery whose pointer should have been taken up long ago, in milliseconds. */
export const pointerGraceMs = 5_000;

/** A delivery's id says its event and its subscription, so making it again finds it. */
export function deliveryId(eventId: string, subscription: string): string {
  return `${eventId}.${subscription}`;
}

/** The subscription a delivery's id names. */
export function subscriptionOf(id: string): string {
  return id.slice(id.indexOf('.') + 1);
}

/** What the fan-out reads and writes in MongoDB. */
export function mongoFanOutStore(models: Models, now: () => number): Omit<FanOutPorts, 'point'> {
  const { subscriptions, deliveries } = models;
  return {
    keepEvent: eventKeeper(models, now),

    matching: (event, type) =>
      storeCall(async () => {
        const found = await subscriptions
          .find({ status: 'enabled', events: event, types: type }, { account: 1 })
          .hint(indexNames.matching)
          .lean();
        return found.map(({ _id, account }) => ({ id: _id, account }));
      }),

    openDeliveries: (event, matching) =>
      storeCall(async () => {
        const at = new Date(now());
        const sweepAt = new Date(at.getTime() + pointerGraceMs);
        const opened = matching.map((subscription) => newDelivery(event, subscription, { at, sweepAt }));
        await insertMissing(deliveries, opened);
        return opened.map(({ _id }) => _id);
      }),
  };
}

/** A delivery about to begin. `sweepAt` is when the sweeper looks at it, should nobody have told a worker before. */
export function newDelivery(
  event: { readonly id: string; readonly type: SentEventType; readonly signalId: string | null },
  subscription: { readonly id: string; readonly account: string },
  { at, sweepAt }: { readonly at: Date; readonly sweepAt: Date },
): DeliveryDocument {
  return {
    _id: deliveryId(event.id, subscription.id),
    account: subscription.account,
    subscription: subscription.id,
    event_id: event.id,
    event: event.type,
    signal_id: event.signalId,
    status: 'pending',
    attempt_count: 0,
    attempts: [],
    next_attempt_at: at,
    lease: null,
    crashes: 0,
    sweep_at: sweepAt,
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

/** Two at once that both mean to make a document: the one that comes second finds it made. */
async function onceOnly(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    // A bulk write reports its first error's code; another kind may stand beside it.
    const others = error instanceof mongo.MongoBulkWriteError ? writeErrorsOf(error) : [];
    if (!isDuplicateKey(error) || others.some(({ code }) => code !== 11_000)) throw error;
  }
}

function writeErrorsOf({ writeErrors }: mongo.MongoBulkWriteError): readonly mongo.WriteError[] {
  return [writeErrors].flat();
}
