import type { WebhookStatePayload } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import { disablesAt } from '../domain/disabling.ts';
import type { NoticeDocument, SubscriptionDocument } from './documents.ts';
import { indexNames } from './indexes.ts';
import { markDue } from './lane-store.ts';
import type { Models } from './models.ts';
import { insertMissing, newDelivery } from './new-deliveries.ts';

/** Subscriptions looked at in one go. */
const batch = 100;

type Noticed = Pick<SubscriptionDocument, '_id' | 'account' | 'url' | 'description' | 'notices'>;

/**
 * Makes the deliveries of events about subscriptions, to those others of the account that asked for them. A notice is
 * taken off its subscription last, and its deliveries are named by it: several workers, or one that died in between, make
 * the same deliveries. `now`: the store's clock, in Unix milliseconds.
 */
export function openNotices(models: Models, now: () => number): Promise<void> {
  const { subscriptions, deliveries } = models;

  const open = async (about: Noticed, notice: NoticeDocument): Promise<void> => {
    const others = await subscriptions
      .find(
        { account: about.account, status: 'enabled', events: notice.event, _id: { $ne: about._id } },
        { ordered: 1 },
      )
      .lean();
    const event = { id: notice.id, type: notice.event, signalId: null };
    const body = noticeBody(about, notice);
    const opened = others.map(({ _id, ordered = false }) => ({
      ...newDelivery(event, { id: _id, account: about.account, ordered }, new Date(now())),
      body,
    }));
    if (opened.length > 0) await insertMissing(deliveries, opened);
    await markDue(
      models,
      others.map(({ _id }) => _id),
    );
    await subscriptions.updateOne({ _id: about._id }, { $pull: { notices: { id: notice.id } } });
  };

  return storeCall(async () => {
    const waiting = await subscriptions
      .find({ notices_since: { $exists: true } }, { account: 1, url: 1, description: 1, notices: 1 })
      .sort({ notices_since: 1 })
      .limit(batch)
      .hint(indexNames.noticed)
      .lean();
    for (const about of waiting) {
      for (const notice of about.notices ?? []) await open(about, notice);
      // One that came meanwhile stays in the list.
      await subscriptions.updateOne(
        { _id: about._id, 'notices.0': { $exists: false } },
        { $unset: { notices: '', notices_since: '' } },
      );
    }
  });
}

/** In the shape of every other event. */
function noticeBody({ _id, url, description }: Noticed, notice: NoticeDocument): string {
  const { failing_since: since, disabled_reason } = notice;
  const payload: WebhookStatePayload = {
    event: notice.event,
    timestamp: notice.at.toISOString(),
    data: {
      ...{ id: _id, url, description },
      failing_since: since?.toISOString() ?? null,
      disables_at: since && disabled_reason === null ? disablesAt(since).toISOString() : null,
      disabled_reason,
    },
  };
  return JSON.stringify(payload);
}
