import type { ClaimedDelivery, EventContents, PendingDelivery } from '../domain/attempt-ports.ts';
import type { DeliveryRecord, Lease } from '../domain/delivery.ts';
import { signingSecrets } from '../domain/signing-secrets.ts';
import {
  attemptContents,
  failingOf,
  type SubscriptionDocument,
  toDeliveryRecord,
  toSubscription,
} from './documents.ts';
import { markDue } from './lane-store.ts';
import { type LeaseHolder, leaseDocument, newLease } from './leases.ts';
import { type Models, plainDeliveries, plainEvents, plainSubscriptions } from './models.ts';
import { eventOf, subscriptionOf } from './new-deliveries.ts';

/** A delivery to claim, and whether the claimant takes its address for proven. */
export type Claim = { readonly delivery: Pick<PendingDelivery, 'id' | 'made'>; readonly proven: boolean };
type Claimed = {
  readonly record: DeliveryRecord;
  /** Undefined where the event is deleted. */
  readonly event: EventContents | undefined;
};

/** Claims of deliveries in MongoDB, each a lease. */
export function mongoClaims(models: Models, holder: LeaseHolder) {
  const { now } = holder;
  const { deliveries } = models;

  const releaseLeases = async (ids: readonly string[], { token }: Lease): Promise<void> => {
    await deliveries
      .updateMany({ _id: { $in: ids }, 'lease.token': token }, { $set: { lease: null } })
      .hint({ _id: 1 });
    await markDue(models, [...new Set(ids.map(subscriptionOf))]);
  };

  /**
   * Claims those of these deliveries that are due, under one lease, and returns what each claim came to. `atAnyTime`: also those that
   * wait for their next attempt.
   */
  const claimAll = async (
    claims: readonly Claim[],
    { atAnyTime = false } = {},
  ): Promise<ReadonlyMap<string, ClaimedDelivery | 'deferred'>> => {
    const lease = newLease(holder);
    const ids = claims.map(({ delivery }) => delivery.id);
    const made = claims.flatMap(({ delivery }) => delivery.made ?? []);
    const areNew = made.length === claims.length;
    try {
      const due = {
        status: 'pending' as const,
        lease: null,
        ...(!atAnyTime && { next_attempt_at: { $lte: new Date(now()) } }),
      };
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
          chat: subscription.chat ?? null,
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

  return { claimAll, releaseLeases };
}

/** Whether nothing is sent: the account is suspended, or the subscription is disabled and nobody has asked for an attempt. */
function isHeld({ account_state, status }: SubscriptionDocument, { once }: DeliveryRecord['cycle']): boolean {
  return account_state?.suspended === true || (status === 'disabled' && !once);
}
