import { idBatches, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { LaneStore } from '../domain/attempting.ts';
import { indexNames, type Models, plainSubscriptions } from './documents.ts';

/** "At once", whatever the clock of the process that says it. */
export const atOnce = new Date(0);

const batches = { most: 100, atOnce: 2 };

/** Marks lanes as due at once. */
export async function markDue(
  { subscriptions }: Pick<Models, 'subscriptions'>,
  ids: readonly string[],
): Promise<void> {
  for (const some of idBatches(ids)) {
    await subscriptions.updateMany({ _id: { $in: some } }, { $min: { due_at: atOnce } });
  }
}

/** Lanes in MongoDB: `due_at` of each subscription. `now`: the store's clock, in Unix milliseconds. */
export function mongoLaneStore(models: Models, now: () => number): LaneStore {
  const { subscriptions } = models;
  type Change = { readonly filter: { _id: string; due_at?: Date }; readonly update: object };
  /** Changes of single lanes that come together share a command. */
  const change = inBatches(async (batch: readonly Change[]) => {
    const updates = batch.map(({ filter, update }) => ({ updateOne: { filter, update } }));
    await storeCall(() => plainSubscriptions(models).bulkWrite(updates, { ordered: false }));
    return batch.map(() => undefined);
  }, batches);
  return {
    takeDue: (owns, hiddenUntil, limit) =>
      storeCall(async () => {
        const due = { due_at: { $lte: new Date(now()) } };
        const found = await subscriptions
          .find(due, { status: 1, disabled: 1, updated_at: 1 })
          .sort({ due_at: 1 })
          .limit(limit)
          .hint(indexNames.lanes)
          .lean();
        const own = found.filter(({ _id }) => owns(_id));
        for (const some of idBatches(own.map(({ _id }) => _id))) {
          await subscriptions.updateMany({ _id: { $in: some }, ...due }, { $set: { due_at: hiddenUntil } });
        }
        return own.map(({ _id, status, disabled, updated_at }) => ({
          id: _id,
          disabledAt: status === 'disabled' ? (disabled?.at ?? updated_at) : undefined,
        }));
      }),

    hide: (ids, until) =>
      storeCall(async () => {
        const hidden = { due_at: { $gt: new Date(now()) } };
        for (const some of idBatches(ids)) {
          await subscriptions.updateMany({ _id: { $in: some }, ...hidden }, { $set: { due_at: until } });
        }
      }),

    settle: (id, expected, dueAt) =>
      change({ filter: { _id: id, due_at: expected }, update: { $set: { due_at: dueAt } } }),

    markDue: (ids) => storeCall(() => markDue(models, ids)),

    markDueAt: (id, at) => change({ filter: { _id: id }, update: { $min: { due_at: at } } }),
  };
}
