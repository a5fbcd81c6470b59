import type { DeliveryAttempt } from '@sigcast/contracts';
import { inBatches } from '@sigcast/runtime';
import type { mongo } from 'mongoose';
import type { DeliveryDocument } from './documents.ts';
import { type Models, plainDeliveries } from './models.ts';

type Update = mongo.UpdateFilter<DeliveryDocument>;
type Outcome = {
  readonly id: string;
  readonly leaseToken: string;
  readonly attempt: DeliveryAttempt;
  readonly update: Update;
};
/** Outcomes written in one go at most, and commands under way at once. */
const batches = { most: 100, atOnce: 2 };

/**
 * A function that writes the outcome of an attempt, together with those that come while others are being written: under
 * load that is several times what single updates come to. It resolves to whether the outcome was written: it is not when
 * the lease is another's by now.
 */
export function outcomeWriter(models: Models): (outcome: Outcome) => Promise<boolean> {
  return inBatches((batch: readonly Outcome[]) => writeAll(models, batch), batches);
}

async function writeAll(models: Models, batch: readonly Outcome[]): Promise<readonly boolean[]> {
  const { matchedCount } = await plainDeliveries(models).bulkWrite(
    batch.map(({ id, leaseToken, update }) => ({
      updateOne: { filter: { _id: id, 'lease.token': leaseToken }, update },
    })),
    { ordered: false },
  );
  if (matchedCount === batch.length) return batch.map(() => true);
  // Some lost their lease, or were written before by a command whose answer did not arrive.
  const found = await models.deliveries
    .find({ _id: { $in: batch.map(({ id }) => id) } }, { attempts: 1 })
    .lean();
  const logs = new Map(found.map(({ _id, attempts }) => [_id, attempts]));
  return batch.map(({ id, attempt }) =>
    (logs.get(id) ?? []).some(
      ({ started_at, outcome }) => started_at === attempt.started_at && outcome === attempt.outcome,
    ),
  );
}
