import type { FailingWebhook, WebhooksState } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import type { SubscriptionDocument } from './documents.ts';
import { indexNames, longAgo } from './indexes.ts';
import { isFree } from './lane-store.ts';
import type { Models } from './models.ts';
import { countPending, oldestUntaken, readTimeoutMs } from './waiting.ts';

/** Subscriptions told of each kind. */
const mostTold = 100;

/** What operators are told of deliveries and of subscriptions that fail, each part read by one index. */
export function readSystemState(models: Models, now: () => number): Promise<WebhooksState> {
  const { subscriptions, workers } = models;
  /** A worker that lives takes every marked lane within a poll, or has the lane in hand already. */
  const untaken = async () => {
    const aWorkerLives = await workers.exists({ until: { $gt: new Date(now()) } }).maxTimeMS(readTimeoutMs);
    return oldestUntaken(models, { now, missesMarked: () => aWorkerLives === null });
  };
  // One read for each reason: the index begins with the reason, so that owners' pauses are not read.
  const disabledBecause = (reason: 'failing' | 'gone') =>
    subscriptions
      .find({ 'disabled.reason': reason, 'disabled.at': { $gt: longAgo } }, told)
      .sort({ 'disabled.at': -1 })
      .hint(indexNames.disabled)
      .limit(mostTold)
      .maxTimeMS(readTimeoutMs)
      .lean();
  return storeCall(async () => {
    const [pending, untakenSince, failing, ...disabled] = await Promise.all([
      countPending(models),
      untaken(),
      subscriptions
        .find({ status: 'enabled', failing_since: { $gt: longAgo }, ...isFree }, told)
        .sort({ failing_since: 1 })
        .hint(indexNames.failing)
        .limit(mostTold)
        .maxTimeMS(readTimeoutMs)
        .lean(),
      disabledBecause('failing'),
      disabledBecause('gone'),
    ]);
    const disabledAt = (one: Pick<SubscriptionDocument, 'disabled'>) => one.disabled?.at.getTime() ?? 0;
    const disabledLast = disabled
      .flat()
      .sort((one, other) => disabledAt(other) - disabledAt(one))
      .slice(0, mostTold);
    return {
      deliveries: {
        pending,
        oldest_untaken_s: untakenSince === undefined ? 0 : Math.max(0, now() - untakenSince) / 1_000,
      },
      failing: [...failing, ...disabledLast].map(toFailing),
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
