import { storeCall } from '@sigcast/mongo';
import type { FailureRecord } from '../domain/disabling.ts';
import { indexNames, type Models } from './documents.ts';

/** A delivery that succeeds is at most this much older than its success, retries included, in milliseconds. */
const longestRunMs = 3_600_000;

/** Subscriptions' failing in MongoDB, with the delivery log as its witness. */
export function mongoFailureRecord({ subscriptions, deliveries }: Models): FailureRecord {
  return {
    noteFailing: (id, since) =>
      storeCall(async () => {
        await subscriptions.updateOne({ _id: id, failing_since: null }, { $set: { failing_since: since } });
      }),

    clearFailing: (id) =>
      storeCall(async () => {
        await subscriptions.updateOne({ _id: id }, { $set: { failing_since: null } });
      }),

    lastSuccess: (subscription, since) =>
      storeCall(async () => {
        const success = await deliveries
          .findOne(
            {
              subscription,
              status: 'delivered',
              created_at: { $gte: new Date(since.getTime() - longestRunMs) },
              updated_at: { $gt: since },
            },
            { updated_at: 1 },
          )
          .sort({ created_at: -1, _id: -1 })
          .hint(indexNames.log)
          .lean();
        return success?.updated_at;
      }),

    moveFailing: (id, from, to) =>
      storeCall(async () => {
        await subscriptions.updateOne({ _id: id, failing_since: from }, { $set: { failing_since: to } });
      }),

    disableGone: (id, url, at) =>
      storeCall(async () => {
        const { matchedCount } = await subscriptions.updateOne(
          { _id: id, status: 'enabled', url },
          {
            $set: { status: 'disabled', disabled: { reason: 'gone', at }, updated_at: at },
            $unset: { failing_since: '' },
          },
        );
        return matchedCount === 1;
      }),

    disableFailing: (id, since, at) =>
      storeCall(async () => {
        const { matchedCount } = await subscriptions.updateOne(
          { _id: id, status: 'enabled', failing_since: since },
          {
            $set: { status: 'disabled', disabled: { reason: 'failing', at }, updated_at: at },
            $unset: { failing_since: '' },
          },
        );
        return matchedCount === 1;
      }),
  };
}
