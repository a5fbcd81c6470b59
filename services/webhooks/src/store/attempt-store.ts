import { storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { AttemptStore, Claimed } from '../domain/attempting.ts';
import type { Lease } from '../domain/delivery.ts';
import { signingSecrets } from '../domain/signing-secrets.ts';
import {
  attemptContents,
  type DeliveryDocument,
  failingOf,
  isProven,
  toDeliveryRecord,
  toSubscription,
} from './documents.ts';
import { fanOutMark } from './fan-out-mark.ts';
import { indexNames } from './indexes.ts';
import { markDue } from './lane-store.ts';
import { leaseDocument, newLease, type Writer } from './leases.ts';
import { type Models, plainDeliveries, plainEvents, plainSubscriptions } from './models.ts';
import { eventOf, subscriptionOf } from './new-deliveries.ts';
import { outcomeWriter } from './outcome-writer.ts';

/** Deliveries claimed in one go at most, and such goes under way at once. */
const batches = { most: 100, atOnce: 2 };
/** Attempts kept of one delivery: the last ones. Only retries by hand make so many. */
const keptAttempts = 100;

type Claim = { readonly id: string; readonly proven: boolean };

/** Claims and outcomes in MongoDB, those that come together in a few commands for all. */
export function mongoAttemptStore(models: Models, writer: Writer): AttemptStore {
  const { now } = writer;
  const { deliveries } = models;
  const writeOutcome = outcomeWriter(models);

  const letGo = async (ids: readonly string[], { token }: Lease): Promise<void> => {
    await deliveries
      .updateMany({ _id: { $in: ids }, 'lease.token': token }, { $set: { lease: null } })
      .hint({ _id: 1 });
    await markDue(models, [...new Set(ids.map(subscriptionOf))]);
  };

  /** Puts those of these deliveries that can be claimed under one lease. Which they are is read back, by its token. */
  const claimAll = async (claims: readonly Claim[]): Promise<ReadonlyMap<string, Claimed | 'held'>> => {
    const lease = newLease(writer);
    const ids = claims.map(({ id }) => id);
    try {
      const due = { status: 'pending' as const, next_attempt_at: { $lte: new Date(now()) }, lease: null };
      const hint = { _id: 1 } as const;
      await plainDeliveries(models).updateMany(
        { _id: { $in: ids }, ...due },
        { $set: { lease: leaseDocument(lease) } },
        { hint },
      );
      const claimed = await plainDeliveries(models)
        .find({ _id: { $in: ids }, 'lease.token': lease.token }, { hint, projection: attemptContents })
        .toArray();
      const trusting = new Set(claims.flatMap(({ id, proven }) => (proven ? [id] : [])));
      return await prepare(claimed, lease, trusting);
    } catch (error) {
      // Nothing of it is sent.
      await letGo(ids, lease).catch(() => undefined);
      throw error;
    }
  };

  const prepare = async (
    documents: readonly DeliveryDocument[],
    lease: Lease,
    /** Deliveries claimed for addresses that are taken for proven. */
    trusting: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, Claimed | 'held'>> => {
    const ids = documents.map(({ _id }) => _id);
    const [subscriptions, bodies] = await Promise.all([
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
    const subscriptionsById = new Map(subscriptions.map((one) => [one._id, one]));
    const eventsById = new Map(bodies.map((event) => [event._id, event]));
    const ready = new Map<string, Claimed | 'held'>();
    const gone: string[] = [];
    const held: string[] = [];
    for (const document of documents) {
      const subscription = subscriptionsById.get(document.subscription);
      const event = eventsById.get(document.event_id);
      const body = document.body ?? event?.body;
      if (!subscription || body === undefined) {
        gone.push(document._id);
      } else if (
        subscription.account_state?.suspended ||
        (subscription.status === 'disabled' && document.round?.once !== true) ||
        (!isProven(subscription) && trusting.has(document._id))
      ) {
        held.push(document._id);
        ready.set(document._id, 'held');
      } else {
        ready.set(document._id, {
          delivery: toDeliveryRecord(document),
          lease,
          url: subscription.url,
          proven: isProven(subscription),
          secrets: signingSecrets(toSubscription(subscription), new Date(now())),
          failing: failingOf(subscription),
          body,
          traceparent: event?.traceparent,
          imported: event?.imported,
        });
      }
    }
    // Deleted meanwhile: there is nobody to send to, and nobody who could read the log.
    if (gone.length > 0) await deliveries.deleteMany({ _id: { $in: gone }, 'lease.token': lease.token });
    if (held.length > 0) await letGo(held, lease);
    return ready;
  };

  const claim = inBatches(async (claims: readonly Claim[]) => {
    const claimed = await storeCall(() => claimAll(claims));
    return claims.map(({ id }) => claimed.get(id));
  }, batches);

  return {
    oldestPending: (subscription, { limit, since }) =>
      storeCall(async () => {
        const byHand = since && { next_attempt_at: { $gte: since }, 'round.once': true };
        const found = await deliveries
          .find(
            { subscription, status: 'pending', lease: null, ...byHand },
            { next_attempt_at: 1, crashes: 1, place: 1 },
          )
          .sort({ next_attempt_at: 1 })
          .limit(limit)
          .hint(indexNames.due)
          .lean();
        return found.map(({ _id, next_attempt_at, crashes, place }) => ({
          ...{ id: _id, dueAt: next_attempt_at ?? new Date(0), crashes, place },
        }));
      }),

    besideOrder: (subscription, limit) =>
      storeCall(async () => {
        // Few: sorted among themselves, once they are found.
        const found = await deliveries
          .find(
            { subscription, status: 'pending', place: 0, lease: null },
            { next_attempt_at: 1, crashes: 1 },
          )
          .sort({ next_attempt_at: 1 })
          .limit(limit)
          .hint(indexNames.ordered)
          .lean();
        return found.map(({ _id, next_attempt_at, crashes }) => ({
          ...{ id: _id, dueAt: next_attempt_at ?? new Date(0), crashes, place: 0 },
        }));
      }),

    inOrder: (subscription, limit) =>
      storeCall(async () => {
        const found = await deliveries
          .find(
            { subscription, status: 'pending', place: { $gt: 0 } },
            { next_attempt_at: 1, crashes: 1, place: 1, lease: 1 },
          )
          .sort({ place: 1 })
          .limit(limit)
          .hint(indexNames.ordered)
          .lean();
        return found.map(({ _id, next_attempt_at, crashes, place = 0, lease }) => ({
          ...{ id: _id, dueAt: next_attempt_at ?? new Date(0), crashes, place, leased: lease !== null },
        }));
      }),

    fannedOutUpTo: fanOutMark(models, now),

    claim: (id, { proven }) => claim({ id, proven }),

    complete: ({ delivery, lease }, { attempt, status, nextAttemptAt }) =>
      storeCall(() =>
        writeOutcome({
          id: delivery.id,
          leaseToken: lease.token,
          attempt,
          update: {
            $push: { attempts: { $each: [attempt], $slice: -keptAttempts } },
            $inc: { attempt_count: 1 },
            $set: {
              ...{ status, next_attempt_at: nextAttemptAt, lease: null, crashes: 0 },
              updated_at: new Date(now()),
              ...(attempt.outcome !== 'succeeded' && { failure_status: attempt.http_status ?? 0 }),
            },
            // What never failed has no such field to lose.
            ...(attempt.outcome === 'succeeded' &&
              delivery.attemptCount > 0 && { $unset: { failure_status: '' } }),
          },
        }),
      ),
  };
}
