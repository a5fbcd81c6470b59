import type { Filter } from '@sigcast/contracts';
import { isInserted, storeCall } from '@sigcast/mongo';
import {
  type Subscription,
  type SubscriptionChanges,
  type SubscriptionStore,
  statusOf,
} from '../domain/subscription.ts';
import { applyAccountState, findAccountState } from './account-states.ts';
import { recordDeletion, removeDeliveries } from './deleted-subscriptions.ts';
import { type SubscriptionDocument, toSubscription } from './documents.ts';
import { atOnce } from './lane-store.ts';
import type { Models } from './models.ts';

/** The state of an unverified account before its first notice. */
const signedUp = { rev: 0, suspended: true, unverified: true } as const;

const firstAnswer = { created_at: 1, idempotency: 1 } as const;

/** Subscriptions in MongoDB. */
export function mongoSubscriptionStore(models: Models): SubscriptionStore {
  const { subscriptions, deletedSubscriptions } = models;
  const insertInto = (slot: number, document: Omit<SubscriptionDocument, 'slot'>) =>
    isInserted(() => subscriptions.create([{ ...document, slot }]));

  return {
    insert: (subscription, { idempotency, quota }) =>
      storeCall(async () => {
        const state = await findAccountState(models, subscription.account);
        if (state?.deleted) return 'account-deleted';
        const accountState = state?.copy ?? (subscription.unverified ? signedUp : undefined);
        const document = {
          _id: subscription.id,
          account: subscription.account,
          ...(subscription.chat && { chat: subscription.chat }),
          url: subscription.url,
          proven: false,
          events: [...subscription.events],
          types: [...subscription.types],
          filter: storedFilter(subscription.filter),
          ordered: subscription.ordered,
          batch: subscription.batch,
          status: accountState?.unverified ? ('pending' as const) : ('enabled' as const),
          description: subscription.description,
          secret: subscription.secret,
          due_at: atOnce,
          created_at: subscription.createdAt,
          updated_at: subscription.updatedAt,
          ...(idempotency ? { idempotency: { ...idempotency, secret: subscription.secret } } : {}),
          ...(accountState && { account_state: accountState }),
        };
        // A slot that another request has taken meanwhile is not tried again, so there is at most one try per slot.
        for (let tries = 0; tries <= quota; tries++) {
          const existing = await subscriptions
            .find({ account: subscription.account }, { slot: 1, idempotency: 1 })
            .lean();
          if (idempotency && existing.some((other) => other.idempotency?.key === idempotency.key))
            return 'key-used';
          const taken = new Set(existing.map(({ slot }) => slot));
          const free = Array.from({ length: quota }, (_, slot) => slot).find((slot) => !taken.has(slot));
          // Slots beyond the quota are taken when an operator has lowered it.
          if (free === undefined || existing.length >= quota) return 'full';
          if (!(await insertInto(free, document))) continue;
          const applied = await applyAccountState(models, document);
          if (applied?.deleted) return 'account-deleted';
          return { unverified: applied?.unverified ?? subscription.unverified };
        }
        return 'full';
      }),

    byIdempotencyKey: (account, key) =>
      storeCall(async () => {
        const withKey = { account, 'idempotency.key': key };
        // In this order: a deletion is recorded before the subscription is deleted.
        const living = await subscriptions.findOne(withKey, { ...firstAnswer, account_state: 1 }).lean();
        const found = living ?? (await deletedSubscriptions.findOne(withKey, firstAnswer).lean());
        const { _id: id, created_at: createdAt, idempotency } = found ?? {};
        if (!id || !createdAt || !idempotency) return undefined;
        const unverified = living?.account_state?.unverified === true;
        return { first: { id, createdAt, secret: idempotency.secret, unverified }, idempotency };
      }),

    releaseKey: (id, key) =>
      storeCall(async () => {
        const withKey = { _id: id, 'idempotency.key': key };
        await subscriptions.updateOne(withKey, { $unset: { idempotency: '' } });
        await deletedSubscriptions.updateOne(withKey, { $unset: { idempotency: '' } });
      }),

    find: (account, id) =>
      storeCall(async () => {
        const document = await subscriptions.findOne({ _id: id, account }).lean();
        return document ? toSubscription(document) : undefined;
      }),

    list: (account, { skip, limit }) =>
      storeCall(async () => {
        const all = await subscriptions.find({ account }).sort({ _id: -1 }).lean();
        return { total: all.length, items: all.slice(skip, skip + limit).map(toSubscription) };
      }),

    update: (current, changes, at) =>
      storeCall(async () => {
        const { status, filter, template, telegram, ...fields } = changes;
        // Apart, so that concurrent changes of both are applied.
        const chat = {
          ...(template && { 'chat.template': template }),
          ...(telegram && { 'chat.telegram': telegram }),
        };
        // A new address is unproven, and is tried at once.
        const moved = fields.secret !== undefined || (fields.url !== undefined && fields.url !== current.url);
        const another = moved ? { proven: false, due_at: atOnce } : {};
        // The lane is due at once, so that its worker reads the new order.
        const isReordered = fields.ordered !== undefined || fields.batch !== undefined;
        const reordered = isReordered ? { due_at: atOnce } : {};
        const same = fields.url === current.url ? { url: current.url } : {};
        // A batch is for ordered ones, whatever changes at the same time.
        const sameOrder = isReordered
          ? { ordered: current.ordered, batch: current.batch === null ? null : { $ne: null } }
          : {};
        const document = await subscriptions
          .findOneAndUpdate(
            {
              _id: current.id,
              account: current.account,
              ...same,
              ...sameOrder,
              status: statusOf(current),
              // The new status depends on it.
              'account_state.unverified': current.unverified ? true : { $ne: true },
            },
            {
              $set: {
                ...fields,
                ...(filter !== undefined && { filter: storedFilter(filter) }),
                ...chat,
                ...another,
                ...reordered,
                updated_at: at,
                ...statusChange(current, status, at),
              },
            },
            { returnDocument: 'after' },
          )
          .lean();
        return document ? toSubscription(document) : undefined;
      }),

    replaceSecrets: (current, { secret, retiredSecrets }, at) =>
      storeCall(async () => {
        const document = await subscriptions
          .findOneAndUpdate(
            { _id: current.id, account: current.account, secret: current.secret },
            { $set: { secret, retired_secrets: [...retiredSecrets], updated_at: at } },
            { returnDocument: 'after' },
          )
          .lean();
        return document ? toSubscription(document) : undefined;
      }),

    noteTest: (id, at, notSince) =>
      storeCall(async () => {
        const { matchedCount } = await subscriptions.updateOne(
          { _id: id, $or: [{ tested_at: { $exists: false } }, { tested_at: { $lte: notSince } }] },
          { $set: { tested_at: at } },
        );
        if (matchedCount === 1) return 'noted';
        const document = await subscriptions.findById(id, { tested_at: 1 }).lean();
        return document?.tested_at ?? at;
      }),

    remove: (account, id) =>
      storeCall(async () => {
        const found = await subscriptions.findOne({ _id: id, account }, firstAnswer).lean();
        if (!found) return false;
        const { created_at, idempotency } = found;
        const kept = idempotency && { account, created_at, idempotency };
        await recordDeletion(models, { _id: id, at: new Date(), ...kept });
        const { deletedCount } = await subscriptions.deleteOne({ _id: id, account });
        if (deletedCount === 0) return false;
        await removeDeliveries(models, id);
        return true;
      }),
  };
}

/** A filter as it is stored. */
function storedFilter(filter: Filter | null): string | null {
  return filter && JSON.stringify(filter);
}

/** The fields that a change of status sets. A subscription that has the status already keeps its reason and time. */
function statusChange(current: Subscription, status: SubscriptionChanges['status'], at: Date) {
  if (status === 'disabled' && !current.disabled)
    return { status, disabled: { reason: 'paused' as const, at } };
  if (status === 'enabled' && current.disabled)
    return {
      status: statusOf({ ...current, disabled: null }),
      disabled: null,
      failing_since: null,
      due_at: atOnce,
    };
  return {};
}
