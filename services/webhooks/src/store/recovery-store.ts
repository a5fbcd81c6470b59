import { randomUUID } from 'node:crypto';
import { type WebhookPayload, webhookEventTypes } from '@sigcast/contracts';
import { dueBy, storeCall } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import type { RecoveryClaim, RecoveryStore } from '../domain/recovery.ts';
import { type RecoveryDocument, type SubscriptionDocument, toRecoveryState } from './documents.ts';
import { indexNames } from './indexes.ts';
import { atOnce } from './lane-store.ts';
import type { Models } from './models.ts';
import { deliveryId, insertMissing, newDelivery } from './new-deliveries.ts';
import { retryFailed } from './retry-failed.ts';

/** How long a recovery is leased from each step, in milliseconds. A step takes a fraction of a second. */
const recoveryLeaseMs = 10_000;

/** How far the clocks of processes may differ, in milliseconds. */
const skewMs = 60_000;

/** How many characters of an event's id (ULID) encode its time. */
const ulidTimeLength = 10;

/** Recoveries in MongoDB, each stored with its subscription. `now` is Unix milliseconds. */
export function mongoRecoveryStore(
  { subscriptions, events, deliveries }: Models,
  now: () => number,
): RecoveryStore {
  const leaseEnd = () => new Date(now() + recoveryLeaseMs);

  return {
    begin: (id, since) =>
      storeCall(async () => {
        const token = randomUUID();
        const recovery: RecoveryDocument = {
          ...{ since, requested_at: new Date(now()), completed_at: null, retried: 0, opened: 0 },
          ...{ failed_done: false, cursor: null, token, lease_until: leaseEnd() },
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
        const expired = { 'recovery.lease_until': dueBy(new Date(now())) };
        const found = await subscriptions
          .findOne(expired, { _id: 1 })
          .sort({ 'recovery.lease_until': 1 })
          .hint(indexNames.recovering)
          .lean();
        if (!found) return undefined;
        const token = randomUUID();
        const document = await subscriptions
          .findOneAndUpdate(
            { _id: found._id, ...expired },
            { $set: { 'recovery.token': token, 'recovery.lease_until': leaseEnd() } },
            { returnDocument: 'after' },
          )
          .lean();
        return document ? toClaim(document, token) : undefined;
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

    retryFailed: ({ subscription, recovery }, limit) =>
      storeCall(() =>
        retryFailed(
          deliveries,
          { subscription, since: recovery.since, failedBefore: recovery.requestedAt },
          { limit, at: new Date(now()) },
        ),
      ),

    openMissing: (claim, after, limit) =>
      storeCall(async () => {
        const { recovery, createdAt } = claim;
        const from = new Date(Math.max(recovery.since.getTime(), createdAt.getTime()));
        const next = await events
          .find({
            type: { $in: webhookEventTypes.filter((type) => claim.events.includes(type)) },
            occurred_at: { $gte: from },
            _id: after === null ? { $gte: firstIdAt(from.getTime() - skewMs) } : { $gt: after },
          })
          .sort({ _id: 1 })
          .limit(limit)
          .lean();
        const last = next.at(-1);
        if (!last) return { opened: 0, cursor: after, more: false };
        const at = new Date(now());
        const wanted = next
          .filter(({ signal_type }) => claim.types.includes(signal_type))
          .map(({ _id, type, body, seq }) => {
            const { data } = JSON.parse(body) as WebhookPayload;
            const event = { id: _id, type, signalId: data.id, sequence: seq };
            return { id: deliveryId(_id, claim.subscription), event };
          });
        const ids = wanted.map(({ id }) => id);
        const existing = await deliveries.find({ _id: { $in: ids } }, { _id: 1 }).lean();
        const known = new Set(existing.map(({ _id }) => _id));
        const missing = wanted.filter(({ id }) => !known.has(id));
        const subscription = { id: claim.subscription, account: claim.account, ordered: claim.ordered };
        if (missing.length > 0) {
          const opened = missing.map(({ event }) => newDelivery(event, subscription, at));
          await insertMissing(deliveries, opened);
        }
        // Events made after the request found the subscription enabled, and have their deliveries. An event's id says when the
        // event was made; it may have been stored much later than events with higher ids.
        const madeAfterRequest = last._id > firstIdAt(recovery.requestedAt.getTime() + skewMs);
        return { opened: missing.length, cursor: last._id, more: next.length === limit && !madeAfterRequest };
      }),
  };
}

/** The beginning of all ids of events that were made at an instant. Ids sort by time. */
function firstIdAt(ms: number): string {
  return newId('evt', ms).slice(0, 'evt_'.length + ulidTimeLength);
}

function toClaim(document: SubscriptionDocument, token: string): RecoveryClaim | undefined {
  if (!document.recovery) return undefined;
  return {
    token,
    subscription: document._id,
    account: document.account,
    events: document.events,
    types: document.types,
    ordered: document.ordered,
    createdAt: document.created_at,
    recovery: toRecoveryState(document.recovery),
  };
}
