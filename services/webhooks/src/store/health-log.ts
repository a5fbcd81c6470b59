import { maxPagedRows, recentAttempts } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import type { AttemptedDelivery, HealthLog } from '../domain/webhook-health.ts';
import type { DeliveryDocument } from './documents.ts';
import { indexNames } from './indexes.ts';
import type { Models } from './models.ts';

type Attempted = Pick<DeliveryDocument, '_id' | 'attempts'>;

const dayMs = 86_400_000;
/** The most deliveries that are read to find attempts, where the newest deliveries have none yet. */
const maxDepth = 2_000;

const attemptFields = {
  'attempts.started_at': 1,
  'attempts.duration_ms': 1,
  'attempts.outcome': 1,
  'attempts.http_status': 1,
  'attempts.error': 1,
} as const;

/**
 * Reads a subscription's health from the delivery log, each figure by one index. Counts stop at 10,000, and attempts are read
 * from at most 2,000 deliveries. `now` is Unix milliseconds.
 */
export function mongoHealthLog({ deliveries }: Models, now: () => number): HealthLog {
  const limit = maxPagedRows;

  const countSince = (subscription: string, since: Date, more: object, index: string) =>
    deliveries.countDocuments({ subscription, ...more, created_at: { $gte: since } }, { limit }).hint(index);

  /** Counts the deliveries of the last 24 hours, or of a shorter time in which 10,000 were made. */
  const madeLately = async (subscription: string) => {
    const since = new Date(now() - dayMs);
    const made = await countSince(subscription, since, {}, indexNames.log);
    if (made < limit) return { since, made };
    const first = await deliveries
      .findOne({ subscription }, { created_at: 1 })
      .sort({ created_at: -1, _id: -1 })
      .skip(limit - 1)
      .hint(indexNames.log)
      .lean();
    return { since: first?.created_at ?? since, made };
  };

  const newestAttempted = async (subscription: string): Promise<AttemptedDelivery[]> => {
    for (const depth of [recentAttempts, maxDepth]) {
      const found = await deliveries
        .find({ subscription }, attemptFields)
        .sort({ created_at: -1, _id: -1 })
        .limit(depth)
        .hint(indexNames.log)
        .lean<Attempted[]>();
      const attempted = found.filter(({ attempts }) => attempts.length > 0);
      const enough = attempted.length >= recentAttempts || found.length < depth || depth === maxDepth;
      if (enough) return attempted.slice(0, recentAttempts).map(toAttempted);
    }
    return [];
  };

  const newestOf = async (subscription: string, which: object, index: string) =>
    (
      await deliveries
        .find({ subscription, ...which }, attemptFields)
        .sort({ created_at: -1, _id: -1 })
        .limit(1)
        .hint(index)
        .lean<Attempted[]>()
    ).map(toAttempted);

  return {
    figures: (subscription) =>
      storeCall(async () => {
        const failing = { status: 'failed' } as const;
        const retried = { status: 'pending', attempt_count: { $gt: 0 } } as const;
        const [lately, pending, retrying, failed, newest, ...troubled] = await Promise.all([
          madeLately(subscription),
          deliveries.countDocuments({ subscription, status: 'pending' }, { limit }).hint(indexNames.due),
          deliveries.countDocuments({ subscription, ...retried }, { limit }).hint(indexNames.retrying),
          deliveries.countDocuments({ subscription, ...failing }, { limit }).hint(indexNames.failed),
          newestAttempted(subscription),
          newestOf(subscription, failing, indexNames.failed),
          newestOf(subscription, retried, indexNames.retrying),
        ]);
        const { since, made } = lately;
        // An attempt is due after its delivery was made, so the index can leave out earlier ones.
        const waiting = { status: 'pending', next_attempt_at: { $gte: since } } as const;
        const [madeFailed, madePending] = await Promise.all([
          failed === 0 ? 0 : countSince(subscription, since, failing, indexNames.failed),
          pending === 0 ? 0 : countSince(subscription, since, waiting, indexNames.due),
        ]);
        const counts = { made, madeFailed, madePending, pending, retrying, failed };
        return { since, ...counts, newest, troubled: troubled.flat() };
      }),
  };
}

function toAttempted({ _id, attempts }: Attempted): AttemptedDelivery {
  return { id: _id, attempts };
}
