import { storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { AttemptStore, PendingDelivery } from '../domain/attempt-ports.ts';
import { batchClaimer } from './batch-claimer.ts';
import { type Claim, mongoClaims } from './claims.ts';
import type { DeliveryDocument } from './documents.ts';
import { fanOutWatermark } from './fan-out-watermark.ts';
import { indexNames } from './indexes.ts';
import type { LeaseHolder } from './leases.ts';
import type { Models } from './models.ts';
import { outcomeWriter } from './outcome-writer.ts';

/** The most deliveries that one command claims, and the most such commands at once. */
const batches = { most: 100, atOnce: 2 };
/** The most lanes that are asked together, and the most deliveries that are read so. */
const lanesTogether = { most: 20, atOnce: 4 };
const maxTogether = 1_000;
/** How many of a delivery's last attempts are stored. Only retries by hand make so many. */
const maxStoredAttempts = 100;

/** The fields of a {@link PendingDelivery}. */
const pendingFields = { next_attempt_at: 1, crashes: 1, sequence: 1, batch: 1 } as const;

type AskedLane = {
  readonly subscription: string;
  readonly limit: number;
  readonly since: Date | undefined;
};

/** Lanes, claims and outcomes in MongoDB. Those that come at the same time share commands. */
export function mongoAttemptStore(models: Models, holder: LeaseHolder): AttemptStore {
  const { now } = holder;
  const { deliveries } = models;
  const writeOutcome = outcomeWriter(models);

  const claims = mongoClaims(models, holder);
  const claim = inBatches(async (batch: readonly Claim[]) => {
    const claimed = await storeCall(() => claims.claimAll(batch));
    return batch.map(({ delivery }) => claimed.get(delivery.id));
  }, batches);

  const oldestOf = async ({ subscription, limit, since }: AskedLane): Promise<PendingDelivery[]> => {
    const requestedByHand = since && { next_attempt_at: { $gte: since }, 'cycle.once': true };
    const found = await deliveries
      .find({ subscription, status: 'pending', lease: null, ...requestedByHand }, pendingFields)
      .sort({ next_attempt_at: 1 })
      .limit(limit)
      .hint(indexNames.due)
      .lean();
    return found.map(pendingOf);
  };
  /** What waits of some lanes, if that is little; undefined where each lane has to be asked. */
  const allOf = async (lanes: readonly AskedLane[]) => {
    if (lanes.length === 1) return undefined;
    const found = await deliveries
      .find(
        {
          subscription: { $in: lanes.map(({ subscription }) => subscription) },
          status: 'pending',
          lease: null,
        },
        { ...pendingFields, subscription: 1 },
      )
      .limit(maxTogether + 1)
      .hint(indexNames.due)
      .lean();
    return found.length > maxTogether ? undefined : Map.groupBy(found, ({ subscription }) => subscription);
  };
  const oldestTogether = inBatches(async (batch: readonly AskedLane[]) => {
    const all = await storeCall(() => allOf(batch));
    if (all === undefined) return Promise.all(batch.map((lane) => storeCall(() => oldestOf(lane))));
    return batch.map(({ subscription, limit }) =>
      (all.get(subscription) ?? [])
        .map(pendingOf)
        .sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
        .slice(0, limit),
    );
  }, lanesTogether);
  /** Lanes that had more than they were asked for: they are asked alone, so that no other lane waits for them. */
  const long = new Set<string>();
  const oldestPending = async (lane: AskedLane): Promise<readonly PendingDelivery[]> => {
    const { subscription, limit, since } = lane;
    const isAlone = since !== undefined || long.has(subscription);
    const found = await (isAlone ? storeCall(() => oldestOf(lane)) : oldestTogether(lane));
    if (found.length < limit) long.delete(subscription);
    else long.add(subscription);
    return found;
  };

  return {
    oldestPending: (subscription, asked) => oldestPending({ subscription, ...asked }),

    pendingOutsideFeed: (subscription, limit) =>
      storeCall(async () => {
        // They are few, so they are sorted in memory.
        const found = await deliveries
          .find({ subscription, status: 'pending', sequence: 0, lease: null }, pendingFields)
          .sort({ next_attempt_at: 1 })
          .limit(limit)
          .hint(indexNames.ordered)
          .lean();
        return found.map(pendingOf);
      }),

    pendingInFeed: (subscription, limit) =>
      storeCall(async () => {
        const found = await deliveries
          .find({ subscription, status: 'pending', sequence: { $gt: 0 } }, { ...pendingFields, lease: 1 })
          .sort({ sequence: 1 })
          .limit(limit)
          .hint(indexNames.ordered)
          .lean();
        return found.map((one) => ({
          ...pendingOf(one),
          sequence: one.sequence ?? 0,
          leased: one.lease !== null,
        }));
      }),

    fanOutWatermark: fanOutWatermark(models, now),

    claim: (delivery, { proven }) => claim({ delivery, proven }),

    claimBatch: batchClaimer(models, claims),

    complete: ({ delivery, lease, batch }, { attempt, status, nextAttemptAt }) =>
      storeCall(() => {
        const unset = {
          // A delivery without earlier attempts does not have the field.
          ...(attempt.outcome === 'succeeded' &&
            delivery.attemptCount > 0 && { failure_status: '' as const }),
          // Also one that was kept before its subscription sent each event alone.
          ...((delivery.batch ?? batch) && !(batch && status === 'pending') && { batch: '' as const }),
        };
        return writeOutcome({
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
            ...(Object.keys(unset).length > 0 && { $unset: unset }),
          },
        });
      }),
  };
}

function pendingOf({
  _id,
  next_attempt_at,
  crashes,
  sequence,
  batch,
}: Pick<DeliveryDocument, '_id' | keyof typeof pendingFields>): PendingDelivery {
  return { id: _id, dueAt: next_attempt_at ?? new Date(0), crashes, sequence, batch };
}
