import type { FailingWebhook, WebhooksState } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import type { SubscriptionDocument } from './documents.ts';
import { indexNames, longAgo } from './indexes.ts';
import { atOnce } from './lane-store.ts';
import type { Models } from './models.ts';

/** Counting deliveries ends here: more is "very many" to an alert, an autoscaler and a person. */
export const mostCounted = 20_000;
/** No read goes on in the store for longer than its reader waits for it, in milliseconds. */
export const readTimeoutMs = 1_000;
/** Subscriptions told of each kind. */
const mostTold = 100;

/** Deliveries that have not ended; 20,000 stands for more, too. */
export function countPending({ deliveries }: Pick<Models, 'deliveries'>): Promise<number> {
  return deliveries
    .countDocuments({ status: 'pending' }, { limit: mostCounted, maxTimeMS: readTimeoutMs })
    .hint(indexNames.due);
}

/** Since when the subscription waits that no worker has taken since its time came, in Unix milliseconds. */
export async function oldestUntaken(
  { subscriptions }: Pick<Models, 'subscriptions'>,
  now: () => number,
): Promise<number | undefined> {
  const overdue = await subscriptions
    .findOne({ status: 'enabled', due_at: { $lte: new Date(now()), $gt: atOnce } }, { due_at: 1 })
    .sort({ due_at: 1 })
    .hint(indexNames.lanes)
    .maxTimeMS(readTimeoutMs)
    .lean();
  return overdue?.due_at.getTime();
}

/** What operators are told of deliveries and of subscriptions that fail, each part read by one index. */
export function readSystemState(models: Models, now: () => number): Promise<WebhooksState> {
  const { subscriptions } = models;
  return storeCall(async () => {
    const [pending, untakenSince, failing, disabled] = await Promise.all([
      countPending(models),
      oldestUntaken(models, now),
      subscriptions
        .find({ failing_since: { $gt: longAgo } }, told)
        .sort({ failing_since: 1 })
        .hint(indexNames.failing)
        .limit(mostTold)
        .maxTimeMS(readTimeoutMs)
        .lean(),
      subscriptions
        .find({ 'disabled.at': { $gt: longAgo }, 'disabled.reason': { $in: ['failing', 'gone'] } }, told)
        .sort({ 'disabled.at': -1 })
        .hint(indexNames.disabled)
        .limit(mostTold)
        .maxTimeMS(readTimeoutMs)
        .lean(),
    ]);
    return {
      deliveries: {
        pending,
        oldest_untaken_s: untakenSince === undefined ? 0 : Math.max(0, now() - untakenSince) / 1_000,
      },
      failing: [...failing, ...disabled].map(toFailing),
    };
  });
}

const told = { account: 1, url: 1, failing_since: 1, disabled: 1 } as const;

/** Paths and queries of callback addresses often hold secrets: the host is enough to know whose it is. */
function toFailing({
  _id,
  account,
  url,
  failing_since,
  disabled,
}: Pick<SubscriptionDocument, '_id' | keyof typeof told>): FailingWebhook {
  return {
    ...{ id: _id, account, host: new URL(url).host },
    failing_since: failing_since?.toISOString() ?? null,
    disabled:
      disabled && disabled.reason !== 'paused'
        ? { reason: disabled.reason, at: disabled.at.toISOString() }
        : null,
  };
}
