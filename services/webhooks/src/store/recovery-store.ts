import { randomUUID } from 'node:crypto';
import { webhookEventTypes } from '@sigcast/contracts';
import { claimDue, storeCall } from '@sigcast/mongo';
import { fromCursor, toCursor } from '../domain/delivery-cursor.ts';
import { readFilter } from '../domain/event-filter.ts';
import { signalOf } from '../domain/feed.ts';
import type { RecoveryClaim, RecoveryStore } from '../domain/recovery.ts';
import { type RecoveryDocument, type SubscriptionDocument, toRecoveryState } from './documents.ts';
import { mongoEventFeed, toFeedEntry } from './event-feed.ts';
import { indexNames } from './indexes.ts';
import { atOnce } from './lane-store.ts';
import { type Models, plainSubscriptions } from './models.ts';
import { deliveryId, eventOf, insertMissing, newDelivery } from './new-deliveries.ts';
import { retryFailed } from './retry-failed.ts';

/** How long a recovery is leased from each step, in milliseconds. A step takes a fraction of a second. */
const recoveryLeaseMs = 10_000;

/** How far the clocks of processes may differ, in milliseconds. */
const skewMs = 60_000;

/** Recoveries in MongoDB, each stored with its subscription. `now` is Unix milliseconds. */
export function mongoRecoveryStore(
  models: Models,
  now: () => number,
  feed = mongoEventFeed(models),
): RecoveryStore {
  const { subscriptions, events, deliveries } = models;
  const leaseEnd = () => new Date(now() + recoveryLeaseMs);
  /** The sequence number of an event that was stored before an instant: what happened since then comes behind it. */
  const lastStoredBefore = async (at: Date): Promise<number> => {
    const [last] = await events
      .find({ created_at: { $lt: new Date(at.getTime() - skewMs) } }, { sequence: 1 })
      .sort({ created_at: -1 })
      .limit(1)
      .hint(indexNames.kept)
      .lean();
    return last?.sequence ?? 0;
  };

  /** Says which of some deliveries are of events whose signals meet a filter, or of events that are about no signal. */
  const wantedBy =
    (filter: string) =>
    async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
      const meets = readFilter(filter);
      const found = await events.find({ _id: { $in: ids.map(eventOf) } }).lean();
      const unwanted = new Set(
        found.flatMap((event) => (meets(signalOf(toFeedEntry(event))) ? [] : event._id)),
      );
      return new Set(ids.filter((id) => !unwanted.has(eventOf(id))));
    };

  return {
    begin: (id, since) =>
      storeCall(async () => {
        const token = randomUUID();
        const recovery: RecoveryDocument = {
          since,
          requested_at: new Date(now()),
          completed_at: null,
          retried: 0,
          opened: 0,
          failed_done: false,
          cursor: null,
          token,
          lease_until: leaseEnd(),
        };
        const document = await subscriptions
          .findOneAndUpdate(
            { _id: id, status: 'enabled', 'recovery.lease_until': { $exists: false } },
            { $set: { recovery } },
            { returnDocument: 'after' },
          )
          .lean();
        return document ? toClaim(document, token) : undefined;
      }),

    reclaimExpired: () =>
      storeCall(async () => {
        const token = randomUUID();
        const claimed = await claimDue(
          plainSubscriptions(models),
          {
            due: 'recovery.lease_until',
            hint: indexNames.recovering,
            now: new Date(now()),
            until: leaseEnd(),
          },
          { $set: { 'recovery.token': token } },
        );
        return claimed && toClaim(claimed, token);
      }),

    advance: ({ subscription, token }, progress) =>
      storeCall(async () => {
        const done = progress.completedAt !== null;
        const { matchedCount } = await subscriptions.updateOne(
          { _id: subscription, 'recovery.token': token },
          {
            $set: {
              'recovery.retried': progress.retried,
              'recovery.opened': progress.opened,
              'recovery.failed_done': progress.failedDone,
              'recovery.cursor': progress.cursor,
              'recovery.completed_at': progress.completedAt,
              ...(done ? {} : { 'recovery.lease_until': leaseEnd() }),
            },
            // Marked as due in the same update, so that a repeated step marks again.
            $min: { due_at: atOnce },
            ...(done ? { $unset: { 'recovery.token': '', 'recovery.lease_until': '' } } : {}),
          },
        );
        return matchedCount === 1;
      }),

    release: ({ subscription, token }) =>
      storeCall(async () => {
        await subscriptions.updateOne(
          { _id: subscription, 'recovery.token': token },
          { $set: { 'recovery.lease_until': new Date(now()) } },
        );
      }),

    retryFailed: ({ subscription, filter, recovery }, after, limit) =>
      storeCall(async () => {
        const { since, requestedAt: failedBefore } = recovery;
        const isWanted = filter === null ? undefined : wantedBy(filter);
        const { retried, position } = await retryFailed(
          deliveries,
          { subscription, since, failedBefore, isWanted },
          { after: after === null ? undefined : fromCursor(after), limit, at: new Date(now()) },
        );
        return { retried, cursor: position ? toCursor(position) : null };
      }),

    openMissing: (claim, after, limit) =>
      storeCall(async () => {
        const since = new Date(Math.max(claim.recovery.since.getTime(), claim.createdAt.getTime()));
        const { start, end } = await feed.bounds();
        const from = Math.max(start, after === null ? await lastStoredBefore(since) : Number(after));
        const wanted = {
          events: webhookEventTypes.filter((type) => claim.events.includes(type)),
          types: claim.types,
          since,
        };
        // Ends with the feed: events that come after the request find the subscription enabled, and have their deliveries.
        const page = await feed.read({ after: from, end, limit }, wanted);
        const meets = claim.filter === null ? () => true : readFilter(claim.filter);
        const found = page.events
          .map((event) => ({ ...event, signal: signalOf(event) }))
          .filter(({ signal }) => meets(signal));
        const ids = found.map(({ id }) => deliveryId(id, claim.subscription));
        const existing = await deliveries.find({ _id: { $in: ids } }, { _id: 1 }).lean();
        const known = new Set(existing.map(({ _id }) => _id));
        const missing = found.filter(({ id }) => !known.has(deliveryId(id, claim.subscription)));
        const subscription = { id: claim.subscription, account: claim.account, ordered: claim.ordered };
        const at = new Date(now());
        if (missing.length > 0) {
          const opened = missing.map(({ id, type, signal, sequence }) =>
            newDelivery(
              { id, type, signalId: signal.id, symbol: signal.token.symbol, sequence },
              subscription,
              at,
            ),
          );
          await insertMissing(deliveries, opened);
        }
        return { opened: missing.length, cursor: page.more ? String(page.upTo) : null };
      }),
  };
}

function toClaim(document: SubscriptionDocument, token: string): RecoveryClaim | undefined {
  if (!document.recovery) return undefined;
  return {
    token,
    subscription: document._id,
    account: document.account,
    events: document.events,
    types: document.types,
    filter: document.filter,
    ordered: document.ordered,
    createdAt: document.created_at,
    recovery: toRecoveryState(document.recovery),
  };
}
