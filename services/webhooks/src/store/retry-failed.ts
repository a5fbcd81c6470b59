import { webhookTestEvent } from '@sigcast/contracts';
import { anotherRound } from './delivery-log.ts';
import { indexNames, type Models } from './documents.ts';

/**
 * Makes a subscription's failed deliveries due, with all their retries. Tests stay as they are.
 *
 * @param which those made since an instant that had failed by another: what fails anew is not taken again.
 * @returns how many there were to do, at most `limit`, and how many of them nobody else did.
 */
export async function retryFailed(
  deliveries: Models['deliveries'],
  which: { readonly subscription: string; readonly since: Date; readonly failedBefore: Date },
  { limit, at }: { readonly limit: number; readonly at: Date },
): Promise<{ found: number; retried: number }> {
  const failed = await deliveries
    .find(
      {
        subscription: which.subscription,
        status: 'failed',
        event: { $ne: webhookTestEvent },
        created_at: { $gte: which.since },
        updated_at: { $lte: which.failedBefore },
      },
      { attempt_count: 1 },
    )
    .limit(limit)
    .hint(indexNames.failed)
    .lean();
  if (failed.length === 0) return { found: 0, retried: 0 };
  const { modifiedCount } = await deliveries.bulkWrite(
    failed.map(({ _id, attempt_count }) => ({
      updateOne: anotherRound(
        { id: _id, status: 'failed', attemptCount: attempt_count },
        { from: attempt_count, once: false },
        at,
      ),
    })),
    { ordered: false },
  );
  return { found: failed.length, retried: modifiedCount };
}
