import { isDuplicateKey, storeCall } from '@sigcast/mongo';
import { maxSubscriptions, type SubscriptionStore } from '../domain/subscription.ts';
import { type Models, type SubscriptionDocument, toSubscription } from './documents.ts';

/** Subscriptions in MongoDB. */
export function mongoSubscriptionStore({ subscriptions, deliveries }: Models): SubscriptionStore {
  const insertInto = async (slot: number, document: Omit<SubscriptionDocument, 'slot'>) => {
    try {
      await subscriptions.create([{ ...document, slot }]);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };

  return {
    insert: (subscription, idempotency) =>
      storeCall(async () => {
        const document = {
          _id: subscription.id,
          account: subscription.account,
          url: subscription.url,
          events: [...subscription.events],
          types: [...subscription.types],
          status: subscription.status,
          description: subscription.description,
          secret: subscription.secret,
          created_at: subscription.createdAt,
          updated_at: subscription.updatedAt,
          ...(idempotency ? { idempotency } : {}),
        };
        // A lost race for a slot takes that slot out of the next look: at most one round per slot.
        for (let round = 0; round <= maxSubscriptions; round++) {
          const held = await subscriptions
            .find({ account: subscription.account }, { slot: 1, idempotency: 1 })
            .lean();
          if (idempotency && held.some((other) => other.idempotency?.key === idempotency.key))
            return 'key-used';
          const taken = new Set(held.map(({ slot }) => slot));
          const free = Array.from({ length: maxSubscriptions }, (_, slot) => slot).find(
            (slot) => !taken.has(slot),
          );
          if (free === undefined) return 'full';
          if (await insertInto(free, document)) return 'stored';
        }
        return 'full';
      }),

    byIdempotencyKey: (account, key) =>
      storeCall(async () => {
        const document = await subscriptions.findOne({ account, 'idempotency.key': key }).lean();
        if (!document?.idempotency) return undefined;
        return { subscription: toSubscription(document), idempotency: document.idempotency };
      }),

    releaseKey: (id, key) =>
      storeCall(async () => {
        await subscriptions.updateOne({ _id: id, 'idempotency.key': key }, { $unset: { idempotency: '' } });
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

    remove: (account, id) =>
      storeCall(async () => {
        const { deletedCount } = await subscriptions.deleteOne({ _id: id, account });
        if (deletedCount === 0) return false;
        // One that the fan-out opens at this very moment is dropped by the worker, which finds no subscription.
        await deliveries.deleteMany({ subscription: id });
        return true;
      }),
  };
}
