import type { DeliveryAttempt } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import { crashesToQuarantine, failedStatus, firstCycle } from '../domain/delivery.ts';
import { memberLeaseMs, type WorkerRegistry } from '../domain/membership.ts';
import { attemptContents, type DeliveryDocument } from './documents.ts';
import { indexNames } from './indexes.ts';
import { markDue } from './lane-store.ts';
import { type Models, plainDeliveries } from './models.ts';
import { subscriptionOf } from './new-deliveries.ts';

/** The most deliveries that one command releases. */
const batch = 500;

/** The leases of workers in MongoDB, by the server's clock (`$$NOW`). */
export function mongoWorkerRegistry(models: Models): WorkerRegistry {
  const { workers, deliveries } = models;

  /**
   * Logs a dead worker's attempts as interrupted, which costs no retry, and makes their deliveries due. A delivery with too
   * many crashes is quarantined.
   */
  const interruptAttempts = async (found: readonly DeliveryDocument[], at: Date): Promise<void> => {
    const subscriptions = [...new Set(found.map(({ _id }) => subscriptionOf(_id)))];
    await markDue(models, subscriptions);
    await plainDeliveries(models).bulkWrite(
      found.flatMap((document) => {
        const { _id, lease, crashes, cycle = firstCycle } = document;
        if (lease === null) return [];
        const quarantined = crashes + 1 >= crashesToQuarantine;
        return {
          updateOne: {
            filter: { _id, 'lease.token': lease.token },
            update: {
              $push: { attempts: interrupted(document, at) },
              $set: {
                ...(quarantined && { status: failedStatus(cycle), next_attempt_at: null }),
                crashes: Math.min(crashes + 1, crashesToQuarantine),
                failure_status: 0,
                lease: null,
                updated_at: at,
              },
              ...(quarantined && { $unset: { batch: '' as const } }),
            },
          },
        };
      }),
      { ordered: false },
    );
    await markDue(models, subscriptions);
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
        return found.map(({ _id, until, leaving = false }) => ({
          id: _id,
          untilMs: until.getTime(),
          leaving,
        }));
      }),

    reclaim: ({ id, untilMs }) =>
      storeCall(async () => {
        for (;;) {
          const found = await deliveries
            .find({ 'lease.worker': id }, attemptContents)
            .limit(batch)
            .hint(indexNames.leased)
            .lean();
          if (found.length > 0) await interruptAttempts(found, new Date());
          if (found.length < batch) break;
        }
        // A worker that has renewed its lease meanwhile stays.
        await workers.deleteOne({ _id: id, until: new Date(untilMs) });
      }),

    remove: (member) =>
      storeCall(async () => {
        await releaseLeases(models, await findLeased(models, { 'lease.worker': member }));
        await workers.deleteOne({ _id: member });
      }),

    retire: (member) =>
      storeCall(async () => {
        await workers.updateOne({ _id: member }, { $set: { leaving: true } });
      }),
  };
}

/** How old a worker's own claim must be before it counts as lost, in milliseconds: a younger one may be about to be attempted. */
const ownClaimMs = 10_000;
/** How old a claim of an unregistered worker must be before it is released, in milliseconds. */
const unregisteredClaimMs = 60_000;

/**
 * Releases leases of deliveries that no worker attempts: the answer to the claim was lost, the outcome could not be written,
 * or a claim of a worker arrived after the worker had ended. `hasSlot`: whether this worker attempts a delivery.
 * @returns how many leases it released.
 */
export async function releaseOrphanedLeases(
  models: Models,
  which: { readonly worker: string; readonly nowMs: number; readonly hasSlot: (id: string) => boolean },
): Promise<number> {
  const members = (await models.workers.find({}, { _id: 1 }).lean()).map(({ _id }) => _id);
  const before = (ms: number) => ({ $lt: new Date(which.nowMs - ms) });
  const [own, unregistered] = await Promise.all([
    findLeased(models, { 'lease.worker': which.worker, 'lease.started_at': before(ownClaimMs) }),
    findLeased(models, {
      'lease.worker': { $exists: true, $nin: [...members, which.worker] },
      'lease.started_at': before(unregisteredClaimMs),
    }),
  ]);
  const orphaned = [...own.filter(({ id }) => !which.hasSlot(id)), ...unregistered];
  await releaseLeases(models, orphaned);
  return orphaned.length;
}

type Leased = { readonly id: string; readonly token: string };

async function findLeased({ deliveries }: Models, filter: object): Promise<Leased[]> {
  const found = await deliveries.find(filter, { lease: 1 }).limit(batch).hint(indexNames.leased).lean();
  return found.flatMap(({ _id, lease }) => (lease ? [{ id: _id, token: lease.token }] : []));
}

/** Releases these leases. Subscriptions are marked as due before and after, so that none stays unmarked if this process dies. */
async function releaseLeases(models: Models, leased: readonly Leased[]): Promise<void> {
  if (leased.length === 0) return;
  const subscriptions = [...new Set(leased.map(({ id }) => subscriptionOf(id)))];
  await markDue(models, subscriptions);
  await plainDeliveries(models).bulkWrite(
    leased.map(({ id, token }) => ({
      updateOne: { filter: { _id: id, 'lease.token': token }, update: { $set: { lease: null } } },
    })),
    { ordered: false },
  );
  await markDue(models, subscriptions);
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
