import type { WebhookNotice, WebhookStateEvent, WebhookStatePayload } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import { disablesAt } from '../domain/auto-disable.ts';
import type { NoticeDocument, SubscriptionDocument } from './documents.ts';
import { indexNames } from './indexes.ts';
import { markDue } from './lane-store.ts';
import type { Models } from './models.ts';
import { insertMissing, newDelivery } from './new-deliveries.ts';

type Noticed = Pick<SubscriptionDocument, '_id' | 'account' | 'url' | 'description' | 'notices'>;

/**
 * Finds subscriptions with notices, and passes a notice on: as deliveries to the account's other subscriptions to such events,
 * and by `publish`. A notice is removed from its subscription last, and the ids of its deliveries are made of the notice's
 * id. So several workers at once, or one after another that died, make the same deliveries.
 * `now`: the store's clock, in Unix milliseconds.
 */
export function mongoNotices(
  models: Models,
  {
    now,
    publish,
  }: { readonly now: () => number; readonly publish: (notice: WebhookNotice) => Promise<void> },
) {
  const { subscriptions, deliveries } = models;

  const deliver = async (about: Noticed, notice: NoticeDocument): Promise<void> => {
    const { event: type } = notice;
    // Subscribers do not get it.
    if (type === 'webhook.recovered') return;
    const others = await subscriptions
      .find(
        { account: about.account, status: 'enabled', events: type, _id: { $ne: about._id } },
        { ordered: 1 },
      )
      .lean();
    const event = { id: notice.id, type, signalId: null };
    const body = noticeBody(about, type, notice);
    const opened = others.map(({ _id, ordered }) => ({
      ...newDelivery(event, { id: _id, account: about.account, ordered }, new Date(now())),
      body,
    }));
    if (opened.length > 0) await insertMissing(deliveries, opened);
    await markDue(
      models,
      others.map(({ _id }) => _id),
    );
  };

  const open = async (about: Noticed, notice: NoticeDocument): Promise<void> => {
    await deliver(about, notice);
    await publish(publishedNotice(about, notice));
    await subscriptions.updateOne({ _id: about._id }, { $pull: { notices: { id: notice.id } } });
  };

  return {
    find: (limit: number): Promise<readonly Noticed[]> =>
      storeCall(() =>
        subscriptions
          .find({ notices_since: { $exists: true } }, { account: 1, url: 1, description: 1, notices: 1 })
          .sort({ notices_since: 1 })
          .limit(limit)
          .hint(indexNames.noticed)
          .lean(),
      ),
    passOn: (about: Noticed): Promise<void> =>
      storeCall(async () => {
        try {
          for (const notice of about.notices ?? []) await open(about, notice);
        } catch (error) {
          // Behind the others, so that what can't be passed on keeps nobody from theirs.
          await subscriptions.updateOne(
            { _id: about._id, notices_since: { $exists: true } },
            { $set: { notices_since: new Date(now()) } },
          );
          throw error;
        }
        // A notice that was added meanwhile stays.
        await subscriptions.updateOne(
          { _id: about._id, 'notices.0': { $exists: false } },
          { $unset: { notices: '', notices_since: '' } },
        );
      }),
  };
}

/** The body of a notice, in the shape of all events. */
function noticeBody({ _id, url, description }: Noticed, event: WebhookStateEvent, notice: NoticeDocument) {
  const timestamp = notice.at.toISOString();
  const data = { id: _id, url, description, ...stateOf(notice) };
  return JSON.stringify({ event, timestamp, data } satisfies WebhookStatePayload);
}

function publishedNotice({ _id, account, url, description }: Noticed, notice: NoticeDocument): WebhookNotice {
  const { id, event: type, at } = notice;
  const data = { account, webhook: _id, description, host: URL.parse(url)?.host ?? '', ...stateOf(notice) };
  return { id, type, version: 1, occurred_at: at.toISOString(), data };
}

function stateOf({ event, failing_since: since, disabled_reason }: NoticeDocument) {
  return {
    failing_since: since?.toISOString() ?? null,
    disables_at: since && event === 'webhook.failing' ? disablesAt(since).toISOString() : null,
    disabled_reason,
  };
}
