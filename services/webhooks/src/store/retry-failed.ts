import { webhookTestEvent } from '@sigcast/contracts';
import type { DeliveryPosition } from '../domain/delivery.ts';
import { olderThan, restartUpdate } from './delivery-log.ts';
import { indexNames } from './indexes.ts';
import type { Models } from './models.ts';

/** A failed delivery counts if it was made at most this long before `since`, in milliseconds: far longer than default retries take. */
const madeBeforeMs = 86_400_000;

/**
 * Makes a subscription's failed deliveries due, with all their retries, except tests. Reads one page of those that have failed,
 * newest first; pages together read each once.
 *
 * @param which deliveries that failed from `since` until `failedBefore`, so that what fails anew is left alone. `isWanted`: finds
 * those that are wanted still; without it, all are.
 * @param page `after`: the position that the page before returned.
 * @returns `retried`: how many this call changed; `position`: behind the page, undefined after the last one.
 */
export async function retryFailed(
  deliveries: Models['deliveries'],
  which: {
    readonly subscription: string;
    readonly since: Date;
    readonly failedBefore: Date;
    readonly isWanted?: ((ids: readonly string[]) => Promise<ReadonlySet<string>>) | undefined;
  },
  page: { readonly after: DeliveryPosition | undefined; readonly limit: number; readonly at: Date },
): Promise<{ retried: number; position: DeliveryPosition | undefined }> {
  const { subscription, since, failedBefore } = which;
  const { after, limit, at } = page;
  const made = { created_at: { $gte: new Date(since.getTime() - madeBeforeMs) } };
  const found = await deliveries
    .find(
      { subscription, status: 'failed', $and: [made, after ? olderThan(after) : {}] },
      { event: 1, attempt_count: 1, crashes: 1, created_at: 1, updated_at: 1 },
    )
    .sort({ created_at: -1, _id: -1 })
    .limit(limit)
    .hint(indexNames.failed)
    .lean();
  const failed = found.filter(
    ({ event, updated_at }) =>
      event !== webhookTestEvent && updated_at >= since && updated_at <= failedBefore,
  );
  const wanted = await which.isWanted?.(failed.map(({ _id }) => _id));
  const due = failed.filter(({ _id }) => wanted?.has(_id) ?? true);
  const last = found.length === limit ? found.at(-1) : undefined;
  const position = last && { at: last.created_at, id: last._id };
  if (due.length === 0) return { retried: 0, position };
  const { modifiedCount } = await deliveries.bulkWrite(
    due.map(({ _id, attempt_count, crashes }) => ({
      updateOne: restartUpdate(
        { id: _id, status: 'failed', attemptCount: attempt_count, crashes },
        { from: attempt_count, once: false },
        at,
      ),
    })),
    { ordered: false },
  );
  return { retried: modifiedCount, position };
}
