import { webhookTestEvent } from '@sigcast/contracts';
import { anotherRound } from './delivery-log.ts';
import { indexNames } from './indexes.ts';
import type { Models } from './models.ts';

/** From a delivery's making to its last failure; longer only where a subscription is a day behind. */
const longestWayMs = 86_400_000;

/**
 * Makes a subscription's failed deliveries due, with all their retries. Tests stay as they are.
 *
 * @param which those that failed from one instant on up to another: what fails anew is not taken again.
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
        created_at: { $gte: new Date(which.since.getTime() - longestWayMs) },
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
      updateOne: anotherRound(
        { id: _id, status: 'failed', attemptCount: attempt_count, crashes },
        { from: attempt_count, once: false },
        at,
      ),
    })),
    { ordered: false },
  );
  return { found: failed.length, retried: modifiedCount };
}
