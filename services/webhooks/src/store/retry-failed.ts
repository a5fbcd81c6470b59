import { webhookTestEvent } from '@sigcast/contracts';
import { restartUpdate } from './delivery-log.ts';
import { indexNames } from './indexes.ts';
import type { Models } from './models.ts';

/** A failed delivery counts if it was made at most this long before `since`, in milliseconds: far longer than default retries take. */
const madeBeforeMs = 86_400_000;

/**
 * Makes a subscription's failed deliveries due, with all their retries, except tests.
 *
 * @param which deliveries that failed from `since` until `failedBefore`, so that what fails anew is left alone.
 * @returns `found`: how many there were, at most `limit`; `retried`: how many this call changed.
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
        created_at: { $gte: new Date(which.since.getTime() - madeBeforeMs) },
        updated_at: { $gte: which.since, $lte: which.failedBefore },
      },
      { attempt_count: 1, crashes: 1 },
    )
    .limit(limit)
    .hint(indexNames.failed)
    .lean();
  if (failed.length === 0) return { found: 0, retried: 0 };
  const { modifiedCount } = await deliveries.bulkWrite(
    failed.map(({ _id, attempt_count, crashes }) => ({
      updateOne: restartUpdate(
        { id: _id, status: 'failed', attemptCount: attempt_count, crashes },
        { from: attempt_count, once: false },
        at,
      ),
    })),
    { ordered: false },
  );
  return { found: failed.length, retried: modifiedCount };
}
