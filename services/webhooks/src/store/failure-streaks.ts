import { storeCall } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import type { FailureStreakStore } from '../domain/auto-disable.ts';
import { failingOf, type NoticeDocument } from './documents.ts';
import { indexNames } from './indexes.ts';
import type { Models } from './models.ts';

/** A success counts against a streak if its delivery was made at most this long before the streak began, in milliseconds. */
const madeBeforeMs = 3_600_000;

/** Streaks of failures in MongoDB. The last success is read from the delivery log. */
export function mongoFailureStreaks({ subscriptions, deliveries }: Models): FailureStreakStore {
  const disable = (
    which: { readonly _id: string; readonly url?: string; readonly failing_since?: Date },
    at: Date,
    why: Why & { readonly disabled_reason: 'failing' | 'gone' },
  ) =>
    storeCall(async () => {
      const disabled = { reason: why.disabled_reason, at };
      const { matchedCount } = await subscriptions.updateOne(
        { ...which, status: 'enabled' },
        {
          $set: { status: 'disabled', disabled, updated_at: at, notices_since: at },
          $push: { notices: notice('webhook.disabled', at, why) },
          $unset: { failing_since: '' },
        },
      );
      return matchedCount === 1;
    });
  const lastSuccess = async (subscription: string, since: Date): Promise<Date | undefined> => {
    const success = await deliveries
      .findOne(
        {
          subscription,
          status: 'delivered',
          // Absent unless a further attempt, requested by hand, failed last.
          failure_status: { $exists: false },
          created_at: { $gte: new Date(since.getTime() - madeBeforeMs) },
          updated_at: { $gt: since },
        },
        { updated_at: 1 },
      )
      .sort({ created_at: -1, _id: -1 })
      .hint(indexNames.log)
      .lean();
    return success?.updated_at;
  };
  return {
    begin: (id, since) =>
      storeCall(async () => {
        const begin = (await lastSuccess(id, since)) ?? since;
        await subscriptions.updateOne({ _id: id, failing_since: null }, { $set: { failing_since: begin } });
      }),

    end: (id, at) =>
      storeCall(async () => {
        const found = await subscriptions.findById(id, { failing_since: 1, failing_told: 1 }).lean();
        const streak = found && failingOf(found);
        if (!streak) return;
        const { since, notified } = streak;
        const why = { failing_since: since, disabled_reason: null };
        // When the streak has changed meanwhile, the next success ends it.
        await subscriptions.updateOne(
          { _id: id, failing_since: since, failing_told: notified ? since : { $ne: since } },
          notified
            ? {
                $set: { failing_since: null, notices_since: at },
                $push: { notices: notice('webhook.recovered', at, why) },
              }
            : { $set: { failing_since: null } },
        );
      }),

    lastSuccess: (subscription, since) => storeCall(() => lastSuccess(subscription, since)),

    moveBegin: (id, from, to) =>
      storeCall(async () => {
        await subscriptions.updateOne({ _id: id, failing_since: from }, { $set: { failing_since: to } });
      }),

    addNotice: (id, since, at) =>
      storeCall(async () => {
        await subscriptions.updateOne(
          { _id: id, status: 'enabled', failing_since: since, failing_told: { $ne: since } },
          {
            $set: { failing_told: since, notices_since: at },
            $push: {
              notices: notice('webhook.failing', at, { failing_since: since, disabled_reason: null }),
            },
          },
        );
      }),

    disableGone: (id, url, at) =>
      disable({ _id: id, url }, at, { failing_since: null, disabled_reason: 'gone' }),

    disableFailing: (id, since, at) =>
      disable({ _id: id, failing_since: since }, at, { failing_since: since, disabled_reason: 'failing' }),
  };
}

type Why = Pick<NoticeDocument, 'failing_since' | 'disabled_reason'>;

/** A new notice, with an id of its own. */
function notice(event: NoticeDocument['event'], at: Date, why: Why): NoticeDocument {
  return { id: newId('evt'), event, at, ...why };
}
