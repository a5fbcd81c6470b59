import { storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type {
  AttemptStore,
  ClaimedDelivery,
  EventContents,
  PendingDelivery,
} from '../domain/attempt-ports.ts';
import type { DeliveryRecord, Lease } from '../domain/delivery.ts';
import { signingSecrets } from '../domain/signing-secrets.ts';
import {
  attemptContents,
  failingOf,
  type SubscriptionDocument,
  toDeliveryRecord,
  toSubscription,
} from './documents.ts';
import { fanOutWatermark } from './fan-out-watermark.ts';
import { indexNames } from './indexes.ts';
import { markDue } from './lane-store.ts';
import { type LeaseHolder, leaseDocument, newLease } from './leases.ts';
import { type Models, plainDeliveries, plainEvents, plainSubscriptions } from './models.ts';
import { eventOf, subscriptionOf } from './new-deliveries.ts';
import { outcomeWriter } from './outcome-writer.ts';

/** The most deliveries that one command claims, and the most such commands at once. */
const batches = { most: 100, atOnce: 2 };
/** How many of a delivery's last attempts are stored. Only retries by hand make so many. */
const maxStoredAttempts = 100;

type Claim = { readonly delivery: Pick<PendingDelivery, 'id' | 'made'>; readonly proven: boolean };
type Claimed = {
  readonly record: DeliveryRecord;
  /** Undefined where the event is deleted. */
  readonly event: EventContents | undefined;
};

/** Claims and outcomes in MongoDB. Those that come at the same time share commands. */
export function mongoAttemptStore(models: Models, holder: LeaseHolder): AttemptStore {
  const { now } = holder;
  const { deliveries } = models;
  const writeOutcome = outcomeWriter(models);

  const releaseLeases = async (ids: readonly string[], { token }: Lease): Promise<void> => {
    await deliveries
      .updateMany({ _id: { $in: ids }, 'lease.token': token }, { $set: { lease: null } })
      .hint({ _id: 1 });
    await markDue(models, [...new Set(ids.map(subscriptionOf))]);
  };

  /** Claims those of these deliveries that are due, under one lease, and returns what each claim came to. */
  const claimAll = async (
    claims: readonly Claim[],
  ): Promise<ReadonlyMap<string, ClaimedDelivery | 'deferred'>> => {
    const lease = newLease(holder);
    const ids = claims.map(({ delivery }) => delivery.id);
    const made = claims.flatMap(({ delivery }) => delivery.made ?? []);
    const areNew = made.length === claims.length;
    try {
      const due = { status: 'pending' as const, next_attempt_at: { $lte: new Date(now()) }, lease: null };
      const untouched = areNew ? { attempt_count: 0, crashes: 0 } : {};
      const [claiming, reading] = await Promise.allSettled([
        plainDeliveries(models).updateMany(
          { _id: { $in: ids }, ...due, ...untouched },
          { $set: { lease: leaseDocument(lease) } },
          { hint: { _id: 1 } },
        ),
        plainSubscriptions(models)
          .find({ _id: { $in: [...new Set(ids.map(subscriptionOf))] } })
          .toArray(),
      ]);
      // Only now: leases that are still being written could not be released.
      if (claiming.status === 'rejected') throw claiming.reason;
      if (reading.status === 'rejected') throw reading.reason;
      const [{ matchedCount }, subscriptions] = [claiming.value, reading.value];
      // New deliveries that are all claimed are as they were made.
      const claimed = areNew && matchedCount === made.length ? made : await readClaimed(ids, lease);
      const assumedProven = new Set(claims.flatMap(({ delivery, proven }) => (proven ? [delivery.id] : [])));
      return await prepare(claimed, { lease, assumedProven, subscriptions });
    } catch (error) {
      // None of them is attempted.
      await releaseLeases(ids, lease).catch(() => undefined);
      throw error;
    }
  };

  const readClaimed = async (ids: readonly string[], { token }: Lease): Promise<readonly Claimed[]> => {
    const [found, events] = await Promise.all([
      plainDeliveries(models)
        .find({ _id: { $in: ids }, 'lease.token': token }, { hint: { _id: 1 }, projection: attemptContents })
        .toArray(),
      plainEvents(models)
        .find(
          { _id: { $in: [...new Set(ids.map(eventOf))] } },
          { projection: { body: 1, traceparent: 1, imported: 1 } },
        )
        .toArray(),
    ]);
    const eventsById = new Map(events.map((event) => [event._id, event]));
    return found.map((document) => {
      const { body } = document;
      const event = eventsById.get(document.event_id);
      return { record: toDeliveryRecord(document), event: body === undefined ? event : { body } };
    });
  };

  const prepare = async (
    claimed: readonly Claimed[],
    {
      lease,
      assumedProven,
      subscriptions,
    }: {
      readonly lease: Lease;
      /** Deliveries whose claimant takes the address for proven. */
      readonly assumedProven: ReadonlySet<string>;
      readonly subscriptions: readonly SubscriptionDocument[];
    },
  ): Promise<ReadonlyMap<string, ClaimedDelivery | 'deferred'>> => {
    const subscriptionsById = new Map(subscriptions.map((one) => [one._id, one]));
    const prepared = new Map<string, ClaimedDelivery | 'deferred'>();
    const orphaned: string[] = [];
    const deferred: string[] = [];
    for (const { record, event } of claimed) {
      const subscription = subscriptionsById.get(record.subscription);
      if (!subscription || !event) {
        orphaned.push(record.id);
      } else if (
        isHeld(subscription, record.cycle) ||
        (!subscription.proven && assumedProven.has(record.id))
      ) {
        deferred.push(record.id);
        prepared.set(record.id, 'deferred');
      } else {
        prepared.set(record.id, {
          delivery: record,
          lease,
          url: subscription.url,
          proven: subscription.proven,
          secrets: signingSecrets(toSubscription(subscription), new Date(now())),
          failing: failingOf(subscription),
          body: event.body,
          traceparent: event.traceparent,
          imported: event.imported,
        });
      }
    }
    // Their subscription or event was deleted.
    if (orphaned.length > 0)
      await deliveries.deleteMany({ _id: { $in: orphaned }, 'lease.token': lease.token });
    if (deferred.length > 0) await releaseLeases(deferred, lease);
    return prepared;
  };

  const claim = inBatches(async (claims: readonly Claim[]) => {
    const claimed = await storeCall(() => claimAll(claims));
    return claims.map(({ delivery }) => claimed.get(delivery.id));
  }, batches);

  return {
    oldestPending: (subscription, { limit, since }) =>
      storeCall(async () => {
        const requestedByHand = since && { next_attempt_at: { $gte: since }, 'cycle.once': true };
        const found = await deliveries
          .find(
            { subscription, status: 'pending', lease: null, ...requestedByHand },
            { next_attempt_at: 1, crashes: 1, seq: 1 },
          )
          .sort({ next_attempt_at: 1 })
          .limit(limit)
          .hint(indexNames.due)
          .lean();
        return found.map(({ _id, next_attempt_at, crashes, seq: sequence }) => ({
          id: _id,
          dueAt: next_attempt_at ?? new Date(0),
          crashes,
          sequence,
        }));
      }),

    pendingOutsideFeed: (subscription, limit) =>
      storeCall(async () => {
        // They are few, so they are sorted in memory.
        const found = await deliveries
          .find({ subscription, status: 'pending', seq: 0, lease: null }, { next_attempt_at: 1, crashes: 1 })
          .sort({ next_attempt_at: 1 })
          .limit(limit)
          .hint(indexNames.ordered)
          .lean();
        return found.map(({ _id, next_attempt_at, crashes }) => ({
          id: _id,
          dueAt: next_attempt_at ?? new Date(0),
          crashes,
          sequence: 0,
        }));
      }),

    pendingInFeed: (subscription, limit) =>
      storeCall(async () => {
        const found = await deliveries
          .find(
            { subscription, status: 'pending', seq: { $gt: 0 } },
            { next_attempt_at: 1, crashes: 1, seq: 1, lease: 1 },
          )
          .sort({ seq: 1 })
          .limit(limit)
          .hint(indexNames.ordered)
          .lean();
        return found.map(({ _id, next_attempt_at, crashes, seq: sequence = 0, lease }) => ({
          id: _id,
          dueAt: next_attempt_at ?? new Date(0),
          crashes,
          sequence,
          leased: lease !== null,
        }));
      }),

    fanOutWatermark: fanOutWatermark(models, now),

    claim: (delivery, { proven }) => claim({ delivery, proven }),

    complete: ({ delivery, lease }, { attempt, status, nextAttemptAt }) =>
      storeCall(() =>
        writeOutcome({
          id: delivery.id,
          leaseToken: lease.token,
          attempt,
          update: {
            $push: { attempts: { $each: [attempt], $slice: -maxStoredAttempts } },
            $inc: { attempt_count: 1 },
            $set: {
              status,
              next_attempt_at: nextAttemptAt,
              lease: null,
              crashes: 0,
              updated_at: new Date(now()),
              ...(attempt.outcome !== 'succeeded' && { failure_status: attempt.http_status ?? 0 }),
            },
            // A delivery without earlier attempts does not have the field.
            ...(attempt.outcome === 'succeeded' &&
              delivery.attemptCount > 0 && { $unset: { failure_status: '' } }),
          },
        }),
      ),
  };
}

/** Whether nothing is sent: the account is suspended, or the subscription is disabled and nobody has asked for an attempt. */
function isHeld({ account_state, status }: SubscriptionDocument, { once }: DeliveryRecord['cycle']): boolean {
  return account_state?.suspended === true || (status === 'disabled' && !once);
}
