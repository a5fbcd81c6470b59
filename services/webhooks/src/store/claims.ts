import type { DeliveryAttempt } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { AttemptStore, Claimed } from '../domain/attempting.ts';
import { type Lease, leaseMs, suspectCrashes } from '../domain/delivery.ts';
import { signingSecrets } from '../domain/signing-secrets.ts';
import {
  type DeliveryDocument,
  indexNames,
  type Models,
  plainDeliveries,
  toDeliveryRecord,
  toSubscription,
} from './documents.ts';
import { eventOf, subscriptionOf } from './fan-out-store.ts';
import { heldBack } from './held-deliveries.ts';
import { leaseFields, newLease } from './leases.ts';

/** Deliveries claimed in one go at most, and such goes under way at once. */
const batches = { most: 100, atOnce: 2 };

/** Due deliveries of a subscription that are looked up at once: its slots take one after the other from the list. */
const readAhead = 100;

/** For how long, in milliseconds: other workers take from the same, and the subscription may have no more slots here. */
const readAheadMs = 10_000;

/** Claims in MongoDB, those that come together in a few commands for all. `now` is Unix milliseconds. */
export function mongoClaims(models: Models, now: () => number): Pick<AttemptStore, 'claim' | 'claimNext'> {
  const { deliveries } = models;

  const atItsTime = () => ({ status: 'pending' as const, next_attempt_at: { $lte: new Date(now()) } });
  const due = () => ({ ...atItsTime(), lease: null });

  /** Leases that ran out: their workers died. The interrupted attempts go into the log and cost no retry. */
  const takeOver = async (ids: readonly string[], lease: Lease): Promise<void> => {
    const found = await deliveries
      .find({ _id: { $in: ids }, status: 'pending', 'lease.until': { $lte: new Date(now()) } })
      .hint({ _id: 1 })
      .lean();
    const expired = found.flatMap((document) =>
      document.lease ? [{ ...document, lease: document.lease }] : [],
    );
    if (expired.length === 0) return;
    await plainDeliveries(models).bulkWrite(
      expired.map((document) => ({
        updateOne: {
          filter: { _id: document._id, 'lease.token': document.lease.token },
          update: {
            $push: { attempts: interrupted(document, now()) },
            $set: {
              crashes: Math.max(document.crashes, Math.min(document.crashes + 1, suspectCrashes)),
              updated_at: new Date(now()),
              ...leaseFields(lease),
            },
          },
        },
      })),
      { ordered: false },
    );
  };

  /** Puts those of these deliveries that can be claimed under one lease. Whose they are is read back, by its token. */
  const claimAll = async (ids: readonly string[]): Promise<ReadonlyMap<string, Claimed>> => {
    const lease = newLease(now());
    try {
      return await claimUnder(lease, ids);
    } catch (error) {
      // Nothing of it is sent. Left to run out, the leases would pass for attempts that a worker died of.
      await letGo(ids, lease).catch(() => undefined);
      throw error;
    }
  };

  const letGo = async (ids: readonly string[], lease: Lease): Promise<void> => {
    await deliveries
      .updateMany(
        { _id: { $in: ids }, 'lease.token': lease.token },
        { $set: { lease: null, sweep_at: new Date(now()) } },
      )
      .hint({ _id: 1 });
  };

  const claimUnder = async (lease: Lease, ids: readonly string[]): Promise<ReadonlyMap<string, Claimed>> => {
    const { matchedCount } = await deliveries
      .updateMany({ _id: { $in: ids }, ...due() }, { $set: leaseFields(lease) })
      .hint({ _id: 1 });
    if (matchedCount < ids.length) await takeOver(ids, lease);
    const claimed = await deliveries
      .find({ _id: { $in: ids }, 'lease.token': lease.token })
      .hint({ _id: 1 })
      .lean();
    return prepare(claimed, lease);
  };

  const prepare = async (
    documents: readonly DeliveryDocument[],
    lease: Lease,
  ): Promise<ReadonlyMap<string, Claimed>> => {
    const ids = documents.map(({ _id }) => _id);
    const [subscriptions, bodies] = await Promise.all([
      models.subscriptions.find({ _id: { $in: [...new Set(ids.map(subscriptionOf))] } }).lean(),
      models.events.find({ _id: { $in: [...new Set(ids.map(eventOf))] } }, { body: 1 }).lean(),
    ]);
    const subscriptionsById = new Map(subscriptions.map((one) => [one._id, one]));
    const bodiesById = new Map(bodies.map(({ _id, body }) => [_id, body]));
    const ready = await Promise.all(
      documents.map(async (document): Promise<Claimed | undefined> => {
        const subscription = subscriptionsById.get(document.subscription);
        const body = document.body ?? bodiesById.get(document.event_id);
        if (!subscription || body === undefined) {
          // Deleted meanwhile: there is nobody to send to, and nobody who could read the log.
          await deliveries.deleteOne({ _id: document._id, 'lease.token': lease.token });
          return undefined;
        }
        if (await heldBack(models, subscription, document, now())) return undefined;
        return {
          delivery: toDeliveryRecord(document),
          lease,
          url: subscription.url,
          secrets: signingSecrets(toSubscription(subscription), new Date(now())),
          failingSince: subscription.failing_since ?? null,
          body,
        };
      }),
    );
    return new Map(ready.flatMap((one) => (one ? [[one.delivery.id, one]] : [])));
  };

  const claim = inBatches(async (asked: readonly string[]) => {
    const claimed = await storeCall(() => claimAll([...new Set(asked)]));
    // Asked for twice, it is one attempt.
    return asked.map((id, index) => (asked.indexOf(id) === index ? claimed.get(id) : undefined));
  }, batches);

  /** Those whose leases ran out are among them: they are the oldest, and their place is before what came later. */
  const oldestDue = async (subscription: string): Promise<string[]> => {
    const free = { 'lease.until': { $not: { $gt: new Date(now()) } } };
    const found = await deliveries
      .find({ subscription, ...atItsTime(), ...free }, { _id: 1 })
      .sort({ next_attempt_at: 1 })
      .limit(readAhead)
      .hint(indexNames.due)
      .lean();
    return found.map(({ _id }) => _id);
  };

  /** By subscription, due deliveries looked up and not yet asked for, first what was looked up first. Some may be taken. */
  const ahead = new Map<string, { readonly ids: string[]; readonly lookedUpAt: number }>();

  const forgetOld = () => {
    for (const [subscription, { lookedUpAt }] of ahead) {
      if (now() - lookedUpAt < readAheadMs) return;
      ahead.delete(subscription);
    }
  };

  /** The id of a subscription's oldest due delivery. None: none was due when this was asked. */
  const nextDue = inBatches(
    async (asking: readonly string[]) => {
      forgetOld();
      const asks = new Map<string, number>();
      for (const subscription of asking) asks.set(subscription, (asks.get(subscription) ?? 0) + 1);
      const short = [...asks].filter(([subscription, n]) => (ahead.get(subscription)?.ids.length ?? 0) < n);
      await Promise.all(
        short.map(async ([subscription]) => {
          const ids = await storeCall(() => oldestDue(subscription));
          ahead.delete(subscription);
          ahead.set(subscription, { ids, lookedUpAt: now() });
        }),
      );
      return asking.map((subscription) => {
        const { ids } = ahead.get(subscription) ?? { ids: [] };
        const id = ids.shift();
        if (ids.length === 0) ahead.delete(subscription);
        return id;
      });
    },
    { ...batches, atOnce: 1 },
  );

  return {
    claim,
    claimNext: async (subscription) => {
      for (let id = await nextDue(subscription); id !== undefined; id = await nextDue(subscription)) {
        const claimed = await claim(id);
        if (claimed) return claimed;
      }
      return undefined;
    },
  };
}

function interrupted(document: DeliveryDocument, at: number): DeliveryAttempt {
  const startedAt = document.lease?.started_at ?? document.updated_at;
  return {
    number: document.attempt_count + 1,
    started_at: startedAt.toISOString(),
    duration_ms: Math.max(0, Math.min(at - startedAt.getTime(), leaseMs)),
    outcome: 'interrupted',
    http_status: null,
    error: 'The worker ended during the attempt; it may have reached the receiver.',
    response_body: null,
  };
}
