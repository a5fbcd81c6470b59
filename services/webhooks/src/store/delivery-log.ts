import { maxPagedRows, webhookTestEvent } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import { type DeliveryLog, type DeliveryRecord, type Round, suspectCrashes } from '../domain/delivery.ts';
import { attemptContents, type DeliveryDocument, toDeliveryRecord } from './documents.ts';
import { indexNames } from './indexes.ts';
import { markDue } from './lane-store.ts';
import { logLookup, mostEventsOfSignal } from './log-lookup.ts';
import type { Models } from './models.ts';
import { newDelivery } from './new-deliveries.ts';

/** All but what only one delivery's own page shows. */
const listedFields = { body: 0, ...attemptContents } as const;

/** The delivery log in MongoDB. `now` is Unix milliseconds. */
export function mongoDeliveryLog(models: Models, now: () => number): DeliveryLog {
  const { deliveries, events } = models;
  /** Marks the subscription before and after: wherever this process dies, a worker looks soon, save within a look's time. */
  const marked = async <T>(subscription: string, write: () => Promise<T>): Promise<T> => {
    await markDue(models, [subscription]);
    const result = await write();
    await markDue(models, [subscription]);
    return result;
  };
  const eventsOf = async (signal: string): Promise<string[]> => {
    const found = await events
      .find({ signal_id: signal }, { _id: 1 })
      .limit(mostEventsOfSignal)
      .hint(indexNames.signal)
      .lean();
    return found.map(({ _id }) => _id);
  };
  return {
    list: (subscription, query) =>
      storeCall(async () => {
        const ofSignal = query.signal_id === undefined ? undefined : await eventsOf(query.signal_id);
        const { filter, counted, listed } = logLookup(subscription, query, ofSignal);
        const { after, limit } = query;
        const byPage = 'page' in after;
        // No further: nobody turns more pages, and a log of 100,000 would cost every look at it a scan.
        const total = await deliveries.countDocuments(filter, { limit: maxPagedRows }).hint(counted);
        const documents = await deliveries
          .find(byPage ? filter : { $and: [filter, olderThan(after)] }, listedFields)
          .sort({ created_at: -1, _id: -1 })
          .skip(byPage ? (after.page - 1) * limit : 0)
          .limit(limit + 1)
          .hint(listed(total))
          .lean();
        const items = documents.slice(0, limit).map((document) => toDeliveryRecord(document));
        return { total, items, more: documents.length > limit };
      }),

    find: (subscription, id) =>
      storeCall(async () => {
        const document = await deliveries.findOne({ _id: id, subscription }, { body: 0 }).lean();
        return document ? toDeliveryRecord(document) : undefined;
      }),

    bodyOf: ({ id, eventId }) =>
      storeCall(async () => {
        const own = await deliveries.findOne({ _id: id }, { body: 1 }).lean();
        if (own?.body !== undefined) return own.body;
        return (await events.findOne({ _id: eventId }, { body: 1 }).lean())?.body;
      }),

    hasten: ({ id, subscription, attemptCount, nextAttemptAt }, round) =>
      storeCall(async () => {
        const at = new Date(now());
        const document = await marked(subscription, () =>
          deliveries
            .findOneAndUpdate(
              {
                ...{ _id: id, status: 'pending', lease: null },
                ...{ attempt_count: attemptCount, next_attempt_at: nextAttemptAt },
              },
              { $set: { next_attempt_at: at, round, updated_at: at } },
              { returnDocument: 'after' },
            )
            .lean(),
        );
        return document ? toDeliveryRecord(document) : undefined;
      }),

    again: (record, round) =>
      storeCall(async () => {
        const kept = await deliveries.exists({ _id: record.id, body: { $exists: true } });
        if (!kept && !(await events.exists({ _id: record.eventId }))) return 'event-gone';
        const { filter, update } = anotherRound(record, round, new Date(now()));
        const document = await marked(record.subscription, () =>
          deliveries.findOneAndUpdate(filter, update, { returnDocument: 'after' }).lean(),
        );
        return document ? toDeliveryRecord(document) : 'pending';
      }),

    openTest: (subscription, { id, body, at }) =>
      storeCall(async () => {
        const event = { id, type: webhookTestEvent, signalId: null } as const;
        const document: DeliveryDocument = {
          ...newDelivery(event, subscription, at),
          body,
          round: { from: 0, once: true },
        };
        await marked(subscription.id, () => deliveries.create([document]));
        return toDeliveryRecord(document);
      }),
  };
}

/** Makes a delivery that has ended, and still stands as in `record`, due for another round, at once. */
export function anotherRound(
  { id, status, attemptCount, crashes }: Pick<DeliveryRecord, 'id' | 'status' | 'attemptCount' | 'crashes'>,
  round: Round,
  at: Date,
) {
  const ended = status === 'pending' ? [] : [status];
  return {
    filter: { _id: id, status: { $in: ended }, attempt_count: attemptCount },
    update: {
      $set: {
        status: 'pending' as const,
        round,
        next_attempt_at: at,
        lease: null,
        // What was put aside is a suspect still.
        crashes: crashes >= suspectCrashes ? suspectCrashes : 0,
        updated_at: at,
      },
    },
  };
}

/** What follows a position, newest first. */
function olderThan({ at, id }: { at: Date; id: string }) {
  return { created_at: { $lte: at }, $or: [{ created_at: { $lt: at } }, { _id: { $lt: id } }] };
}
