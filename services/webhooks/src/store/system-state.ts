import type { FailingWebhook, WebhooksState } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import { countPending, oldestUnclaimed, readTimeoutMs } from './backlog.ts';
import type { SubscriptionDocument } from './documents.ts';
import { indexNames, longAgo } from './indexes.ts';
import { activeAccount } from './lane-store.ts';
import type { Models } from './models.ts';

/** The most failing, and the most disabled, subscriptions that are listed. */
const maxListed = 100;

/** Reads for operators how many deliveries wait and which subscriptions fail, each part by one index. */
export function readSystemState(models: Models, now: () => number): Promise<WebhooksState> {
  const { subscriptions, workers } = models;
  /** A live worker activates each marked lane at its next poll, or works on it already. */
  const unclaimed = async () => {
    const aWorkerLives = await workers.exists({ until: { $gt: new Date(now()) } }).maxTimeMS(readTimeoutMs);
    return oldestUnclaimed(models, { now, isUnclaimed: () => aWorkerLives === null });
  };
  // One read for each reason: the index begins with the reason, so that subscriptions paused by their owners are not read.
  const disabledBecause = (reason: 'failing' | 'gone') =>
    subscriptions
      .find({ 'disabled.reason': reason, 'disabled.at': { $gt: longAgo } }, listedFields)
      .sort({ 'disabled.at': -1 })
      .hint(indexNames.disabled)
      .limit(maxListed)
      .maxTimeMS(readTimeoutMs)
      .lean();
  return storeCall(async () => {
    const [pending, unclaimedSince, failing, ...disabled] = await Promise.all([
      countPending(models),
      unclaimed(),
      subscriptions
        .find({ status: 'enabled', failing_since: { $gt: longAgo }, ...activeAccount }, listedFields)
        .sort({ failing_since: 1 })
        .hint(indexNames.failing)
        .limit(maxListed)
        .maxTimeMS(readTimeoutMs)
        .lean(),
      disabledBecause('failing'),
      disabledBecause('gone'),
    ]);
    const disabledAt = (one: Pick<SubscriptionDocument, 'disabled'>) => one.disabled?.at.getTime() ?? 0;
    const disabledLast = disabled
      .flat()
      .sort((one, other) => disabledAt(other) - disabledAt(one))
      .slice(0, maxListed);
    return {
      deliveries: {
        pending,
        oldest_untaken_s: unclaimedSince === undefined ? 0 : Math.max(0, now() - unclaimedSince) / 1_000,
      },
      failing: [...failing, ...disabledLast].map(toFailing),
    };
  });
}

const listedFields = { account: 1, url: 1, failing_since: 1, disabled: 1 } as const;

/** Only the host of an address is shown, because paths and queries often contain secrets. */
function toFailing({
  _id,
  account,
  url,
  failing_since,
  disabled,
}: Pick<SubscriptionDocument, '_id' | keyof typeof listedFields>): FailingWebhook {
  return {
    id: _id,
    account,
    host: new URL(url).host,
    failing_since: failing_since?.toISOString() ?? null,
    disabled:
      disabled && disabled.reason !== 'paused'
        ? { reason: disabled.reason, at: disabled.at.toISOString() }
        : null,
  };
}
