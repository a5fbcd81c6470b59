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
/** The most outcomes that one command writes, and the most such commands at once. */
const batches = { most: 100, atOnce: 2 };

/**
 * Returns a function that writes the outcome of an attempt. Outcomes that come at the same time share a command: so several
 * times as many are written as by single updates. Resolves to false when the lease was lost: then nothing is written.
 */
export function outcomeWriter(models: Models): (outcome: Outcome) => Promise<boolean> {
  return inBatches((batch: readonly Outcome[]) => writeAll(models, batch), batches);
}

async function writeAll(models: Models, batch: readonly Outcome[]): Promise<readonly boolean[]> {
  const { matchedCount } = await plainDeliveries(models).bulkWrite(
    together(batch).map(({ ids, leaseToken, update }) => {
      const leased = { 'lease.token': leaseToken };
      const [id] = ids;
      return ids.length === 1 && id !== undefined
        ? { updateOne: { filter: { _id: id, ...leased }, update } }
        : { updateMany: { filter: { _id: { $in: ids }, ...leased }, update } };
    }),
    { ordered: false },
  );
  if (matchedCount === batch.length) return batch.map(() => true);
  // For some the lease was lost, or an earlier try wrote them and its answer was lost.
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

/** Updates that are the same, as those of one request mostly are, are one. */
function together(batch: readonly Outcome[]) {
  const keyOf = ({ id, leaseToken, attempt, update }: Outcome) =>
    attempt.batch === undefined ? id : `${leaseToken} ${JSON.stringify(update)}`;
  return [...Map.groupBy(batch, keyOf).values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ ...first, ids: group.map(({ id }) => id) }];
  });
}
