import { maxPagedRows, webhookTestEvent } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import {
  type AttemptCycle,
  crashesToSuspect,
  type DeliveryLog,
  type DeliveryPosition,
  type DeliveryRecord,
  isCrashSuspected,
} from '../domain/delivery.ts';
import { attemptContents, type DeliveryDocument, toDeliveryRecord } from './documents.ts';
import { indexNames } from './indexes.ts';
import { markDue } from './lane-store.ts';
import { logLookup, maxEventsOfSignal } from './log-lookup.ts';
import type { Models } from './models.ts';
import { newDelivery } from './new-deliveries.ts';

/** Leaves out the fields that only the detail of a delivery shows. */
const listedFields = { body: 0, ...attemptContents } as const;

/** The delivery log in MongoDB. `now` is Unix milliseconds. */
export function mongoDeliveryLog(models: Models, now: () => number): DeliveryLog {
  const { deliveries, events } = models;
  /** Marks the subscription as due before and after the write, so that a worker queries it even if this process dies in between. */
  const markingDue = async <T>(subscription: string, write: () => Promise<T>): Promise<T> => {
    await markDue(models, [subscription]);
    const result = await write();
    await markDue(models, [subscription]);
    return result;
  };
  const eventsOf = async (signal: string): Promise<string[]> => {
    const found = await events
      .find({ signal_id: signal }, { _id: 1 })
      .limit(maxEventsOfSignal)
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
        // Bounded: counting a log of 100,000 deliveries would cost each request a scan.
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

    makeDueNow: ({ id, subscription, attemptCount, nextAttemptAt }, cycle) =>
      storeCall(async () => {
        const at = new Date(now());
        const document = await markingDue(subscription, () =>
          deliveries
            .findOneAndUpdate(
              {
                _id: id,
                status: 'pending',
                lease: null,
                attempt_count: attemptCount,
                next_attempt_at: nextAttemptAt,
              },
              { $set: { next_attempt_at: at, cycle, updated_at: at } },
              { returnDocument: 'after' },
            )
            .lean(),
        );
        return document ? toDeliveryRecord(document) : undefined;
      }),

    restart: (record, cycle) =>
      storeCall(async () => {
        const hasBody = await deliveries.exists({ _id: record.id, body: { $exists: true } });
        if (!hasBody && !(await events.exists({ _id: record.eventId }))) return 'event-gone';
        const { filter, update } = restartUpdate(record, cycle, new Date(now()));
        const document = await markingDue(record.subscription, () =>
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
          cycle: { from: 0, once: true },
        };
        await markingDue(subscription.id, () => deliveries.create([document]));
        return toDeliveryRecord(document);
      }),
  };
}

/** The update that makes a delivery due for another cycle at once, if it has ended and has not changed since it was read. */
export function restartUpdate(
  { id, status, attemptCount, crashes }: Pick<DeliveryRecord, 'id' | 'status' | 'attemptCount' | 'crashes'>,
  cycle: AttemptCycle,
  at: Date,
) {
  const ended = status === 'pending' ? [] : [status];
  return {
    filter: { _id: id, status: { $in: ended }, attempt_count: attemptCount },
    update: {
      $set: {
        status: 'pending' as const,
        cycle: { ...cycle, ...(status === 'delivered' && { delivered: true }) },
        next_attempt_at: at,
        lease: null,
        // A quarantined delivery is still crash-suspected.
        crashes: isCrashSuspected({ crashes }) ? crashesToSuspect : 0,
        updated_at: at,
      },
      // What it is sent together with is decided anew.
      $unset: { batch: '' as const },
    },
  };
}

/** The deliveries behind a position, newest first. The index seeks to `created_at`. */
export function olderThan({ at, id }: DeliveryPosition) {
  return { created_at: { $lte: at }, $nor: [{ created_at: at, _id: { $gte: id } }] };
}
