import type { DeliveryAttempt } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import { quarantineCrashes } from '../domain/delivery.ts';
import { memberLeaseMs, type Registry } from '../domain/membership.ts';
import { type DeliveryDocument, indexNames, type Models, plainDeliveries } from './documents.ts';
import { subscriptionOf } from './fan-out-store.ts';
import { markDue } from './lane-store.ts';

/** Deliveries given back in one go. */
const batch = 500;

/** The workers that live, in MongoDB, whose clock (`$$NOW`) is the only one that counts. */
export function mongoWorkerRegistry(models: Models): Registry {
  const { workers, deliveries } = models;

  /** A dead worker's attempts: logged as interrupted, they cost no retry. One that ended three workers is put aside. */
  const giveBack = async (found: readonly DeliveryDocument[], at: Date): Promise<void> => {
    await plainDeliveries(models).bulkWrite(
      found.flatMap((document) => {
        const { _id, lease, crashes } = document;
        if (lease === null) return [];
        const putAside = crashes + 1 >= quarantineCrashes;
        return {
          updateOne: {
            filter: { _id, 'lease.token': lease.token },
            update: {
              $push: { attempts: interrupted(document, at) },
              $set: {
                ...(putAside && { status: 'failed' as const, next_attempt_at: null }),
                crashes: Math.min(crashes + 1, quarantineCrashes),
                lease: null,
                updated_at: at,
              },
            },
          },
        };
      }),
      { ordered: false },
    );
    await markDue(models, [...new Set(found.map(({ _id }) => subscriptionOf(_id)))]);
  };

  return {
    renew: (member, { isNew }) =>
      storeCall(async () => {
        const document = await workers
          .findOneAndUpdate(
            { _id: member },
            [{ $set: { until: { $add: ['$$NOW', memberLeaseMs] }, seen_at: '$$NOW' } }],
            { upsert: isNew, returnDocument: 'after', updatePipeline: true },
          )
          .lean();
        return { renewed: document !== null, nowMs: document?.seen_at.getTime() ?? Number.NaN };
      }),

    members: () =>
      storeCall(async () => {
        const found = await workers.find().lean();
        return found.map(({ _id, until }) => ({ id: _id, untilMs: until.getTime() }));
      }),

    reclaim: (member) =>
      storeCall(async () => {
        for (;;) {
          const found = await deliveries
            .find({ 'lease.worker': member })
            .limit(batch)
            .hint(indexNames.leased)
            .lean();
          if (found.length > 0) await giveBack(found, new Date());
          if (found.length < batch) break;
        }
        await workers.deleteOne({ _id: member });
      }),

    remove: (member) =>
      storeCall(async () => {
        await workers.deleteOne({ _id: member });
      }),
  };
}

/**
 * Gives back deliveries that stand under a worker's lease though it does not attempt them: the answer to the command that
 * claimed them was lost, or their outcome could not be written.
 * @returns how many there were.
 */
export async function giveBackUnknown(
  models: Models,
  which: {
    readonly worker: string;
    readonly startedBefore: Date;
    readonly hasInHand: (id: string) => boolean;
  },
): Promise<number> {
  const found = await models.deliveries
    .find({ 'lease.worker': which.worker, 'lease.started_at': { $lt: which.startedBefore } }, { lease: 1 })
    .hint(indexNames.leased)
    .lean();
  const unknown = found.flatMap(({ _id, lease }) =>
    lease && !which.hasInHand(_id) ? [{ _id, token: lease.token }] : [],
  );
  if (unknown.length === 0) return 0;
  await plainDeliveries(models).bulkWrite(
    unknown.map(({ _id, token }) => ({
      updateOne: { filter: { _id, 'lease.token': token }, update: { $set: { lease: null } } },
    })),
    { ordered: false },
  );
  await markDue(models, [...new Set(unknown.map(({ _id }) => subscriptionOf(_id)))]);
  return unknown.length;
}

function interrupted({ lease, attempt_count, updated_at }: DeliveryDocument, at: Date): DeliveryAttempt {
  const startedAt = lease?.started_at ?? updated_at;
  return {
    number: attempt_count + 1,
    started_at: startedAt.toISOString(),
    duration_ms: Math.max(0, at.getTime() - startedAt.getTime()),
    outcome: 'interrupted',
    http_status: null,
    error: 'The worker ended during the attempt; it may have reached the receiver.',
    response_body: null,
  };
}
