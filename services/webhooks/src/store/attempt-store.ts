import { storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { AttemptStore, ClaimedDelivery } from '../domain/attempt-ports.ts';
import type { Lease } from '../domain/delivery.ts';
import { signingSecrets } from '../domain/signing-secrets.ts';
import {
  attemptContents,
  type DeliveryDocument,
  type EventDocument,
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

type Claim = { readonly id: string; readonly proven: boolean };

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
    const ids = claims.map(({ id }) => id);
    try {
      const due = { status: 'pending' as const, next_attempt_at: { $lte: new Date(now()) }, lease: null };
      const hint = { _id: 1 } as const;
      await plainDeliveries(models).updateMany(
        { _id: { $in: ids }, ...due },
        { $set: { lease: leaseDocument(lease) } },
        { hint },
      );
      // Read after the lease is written: a change of status or address before it is seen.
      const [claimed, subscriptions, events] = await Promise.all([
        plainDeliveries(models)
          .find({ _id: { $in: ids }, 'lease.token': lease.token }, { hint, projection: attemptContents })
          .toArray(),
        plainSubscriptions(models)
          .find({ _id: { $in: [...new Set(ids.map(subscriptionOf))] } })
          .toArray(),
        plainEvents(models)
          .find(
            { _id: { $in: [...new Set(ids.map(eventOf))] } },
            { projection: { body: 1, traceparent: 1, imported: 1 } },
          )
          .toArray(),
      ]);
      const assumedProven = new Set(claims.flatMap(({ id, proven }) => (proven ? [id] : [])));
      return await prepare(claimed, { lease, assumedProven, subscriptions, events });
    } catch (error) {
      // None of them is attempted.
      await releaseLeases(ids, lease).catch(() => undefined);
      throw error;
    }
  };

  const prepare = async (
    documents: readonly DeliveryDocument[],
    {
      lease,
      assumedProven,
      subscriptions,
      events,
    }: {
      readonly lease: Lease;
      /** Deliveries whose claimant takes the address for proven. */
      readonly assumedProven: ReadonlySet<string>;
      readonly subscriptions: readonly SubscriptionDocument[];
      readonly events: readonly Pick<EventDocument, '_id' | 'body' | 'traceparent' | 'imported'>[];
    },
  ): Promise<ReadonlyMap<string, ClaimedDelivery | 'deferred'>> => {
    const subscriptionsById = new Map(subscriptions.map((one) => [one._id, one]));
    const eventsById = new Map(events.map((event) => [event._id, event]));
    const prepared = new Map<string, ClaimedDelivery | 'deferred'>();
    const orphaned: string[] = [];
    const deferred: string[] = [];
    for (const document of documents) {
      const subscription = subscriptionsById.get(document.subscription);
      const event = eventsById.get(document.event_id);
      const body = document.body ?? event?.body;
      if (!subscription || body === undefined) {
        orphaned.push(document._id);
      } else if (
        subscription.account_state?.suspended ||
        (subscription.status === 'disabled' && document.cycle?.once !== true) ||
        (!subscription.proven && assumedProven.has(document._id))
      ) {
        deferred.push(document._id);
        prepared.set(document._id, 'deferred');
      } else {
        prepared.set(document._id, {
          delivery: toDeliveryRecord(document),
          lease,
          url: subscription.url,
          proven: subscription.proven,
          secrets: signingSecrets(toSubscription(subscription), new Date(now())),
          failing: failingOf(subscription),
          body,
          traceparent: event?.traceparent,
          imported: event?.imported,
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
    return claims.map(({ id }) => claimed.get(id));
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

    claim: (id, { proven }) => claim({ id, proven }),

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
