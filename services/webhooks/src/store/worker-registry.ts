import type { DeliveryAttempt } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import { quarantineCrashes } from '../domain/delivery.ts';
import { memberLeaseMs, type Registry } from '../domain/membership.ts';
import { attemptContents, type DeliveryDocument } from './documents.ts';
import { indexNames } from './indexes.ts';
import { markDue } from './lane-store.ts';
import { type Models, plainDeliveries } from './models.ts';
import { subscriptionOf } from './new-deliveries.ts';

/** Deliveries given back in one go. */
const batch = 500;

/** The workers that live, in MongoDB, whose clock (`$$NOW`) is the only one that counts. */
export function mongoWorkerRegistry(models: Models): Registry {
  const { workers, deliveries } = models;

  /** A dead worker's attempts: logged as interrupted, they cost no retry. What was under way at too many deaths is put aside. */
  const giveBack = async (found: readonly DeliveryDocument[], at: Date): Promise<void> => {
    const subscriptions = [...new Set(found.map(({ _id }) => subscriptionOf(_id)))];
    await markDue(models, subscriptions);
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
                failure_status: 0,
                lease: null,
                updated_at: at,
              },
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
          ...{ id: _id, untilMs: until.getTime(), leaving },
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
          if (found.length > 0) await giveBack(found, new Date());
          if (found.length < batch) break;
        }
        // One that is heard of again meanwhile stays.
        await workers.deleteOne({ _id: id, until: new Date(untilMs) });
      }),

    remove: (member) =>
      storeCall(async () => {
        await letGo(models, await leasedBy(models, { 'lease.worker': member }));
        await workers.deleteOne({ _id: member });
      }),

    retire: (member) =>
      storeCall(async () => {
        await workers.updateOne({ _id: member }, { $set: { leaving: true } });
      }),
  };
}

/** A claim whose answer was lost is given back after this, in milliseconds: until then it may be about to be attempted. */
const ownClaimMs = 10_000;
/** What was claimed for a worker that has ended, by a command that came later than its end. */
const lateClaimMs = 60_000;

/**
 * Gives back deliveries that stand under a lease though nobody attempts them: the answer to the command that claimed
 * them was lost, their outcome could not be written, or their worker is none any more.
 * @returns how many there were.
 */
export async function giveBackUnknown(
  models: Models,
  which: { readonly worker: string; readonly nowMs: number; readonly hasInHand: (id: string) => boolean },
): Promise<number> {
  const members = (await models.workers.find({}, { _id: 1 }).lean()).map(({ _id }) => _id);
  const before = (ms: number) => ({ $lt: new Date(which.nowMs - ms) });
  const [own, late] = await Promise.all([
    leasedBy(models, { 'lease.worker': which.worker, 'lease.started_at': before(ownClaimMs) }),
    leasedBy(models, {
      'lease.worker': { $exists: true, $nin: [...members, which.worker] },
      'lease.started_at': before(lateClaimMs),
    }),
  ]);
  const unknown = [...own.filter(({ id }) => !which.hasInHand(id)), ...late];
  await letGo(models, unknown);
  return unknown.length;
}

type Leased = { readonly id: string; readonly token: string };

async function leasedBy({ deliveries }: Models, filter: object): Promise<Leased[]> {
  const found = await deliveries.find(filter, { lease: 1 }).limit(batch).hint(indexNames.leased).lean();
  return found.flatMap(({ _id, lease }) => (lease ? [{ id: _id, token: lease.token }] : []));
}

/** Gives deliveries back that were not attempted under these leases. Marked before, too, lest one be let go unmarked. */
async function letGo(models: Models, leased: readonly Leased[]): Promise<void> {
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
