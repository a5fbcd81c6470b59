import { idBatches, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { LaneStore } from '../domain/attempting.ts';
import { idleLookMs } from '../domain/scheduler.ts';
import { indexNames, type Models, plainSubscriptions } from './documents.ts';

/** "At once", whatever the clock of the process that says it. */
export const atOnce = new Date(0);

const batches = { most: 100, atOnce: 2 };

/** Its account is suspended: nothing of it is attempted. */
export const isHeld = { 'account_state.suspended': true } as const;

/** Marks lanes as due at once, but those that are held: whoever lets them go marks them. */
export async function markDue(
  { subscriptions }: Pick<Models, 'subscriptions'>,
  ids: readonly string[],
): Promise<void> {
  for (const some of idBatches(ids)) {
    const free = { _id: { $in: some }, 'account_state.suspended': { $ne: true } };
    await subscriptions.updateMany(free, { $min: { due_at: atOnce } });
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
  /** Looks at held lanes much later; one that was let go meanwhile is due. */
  const putOff = (ids: readonly string[], hiddenUntil: Date) =>
    subscriptions.updateMany(
      { _id: { $in: ids }, ...isHeld, due_at: hiddenUntil },
      { $set: { due_at: new Date(now() + idleLookMs) } },
    );
  return {
    takeDue: (owns, hiddenUntil, limit) =>
      storeCall(async () => {
        const due = { due_at: { $lte: new Date(now()) } };
        const own: string[] = [];
        // Others' lanes may stand before ours, for as long as their worker takes to notice, or to be missed.
        const all = subscriptions.find(due, { _id: 1 }).sort({ due_at: 1 }).hint(indexNames.lanes).lean();
        for await (const { _id } of all.cursor({ batchSize: limit })) {
          if (owns(_id) && own.push(_id) === limit) break;
        }
        const lanes: { id: string; disabledAt: Date | undefined }[] = [];
        for (const some of idBatches(own)) {
          await subscriptions.updateMany({ _id: { $in: some }, ...due }, { $set: { due_at: hiddenUntil } });
          // Read after it is hidden: who enables a subscription meanwhile marks it anew.
          const disabled = await subscriptions
            .find(
              { _id: { $in: some }, $or: [{ status: 'disabled' }, isHeld] },
              { disabled: 1, updated_at: 1, account_state: 1 },
            )
            .lean();
          const held = disabled.filter(({ account_state }) => account_state?.suspended).map(({ _id }) => _id);
          if (held.length > 0) await putOff(held, hiddenUntil);
          const since = new Map(disabled.map((one) => [one._id, one.disabled?.at ?? one.updated_at]));
          for (const id of some) if (!held.includes(id)) lanes.push({ id, disabledAt: since.get(id) });
        }
        return lanes;
      }),

    hide: (lanes, until) =>
      storeCall(async () => {
        for (const some of idBatches(lanes)) {
          const ids = some.map(({ id }) => id);
          // A lane that was marked or given back meanwhile has another time than it was hidden until.
          const hidden = { $gt: new Date(now()), $in: some.map(({ dueAt }) => dueAt) };
          await subscriptions.updateMany({ _id: { $in: ids }, due_at: hidden }, { $set: { due_at: until } });
        }
      }),

    settle: (id, expected, dueAt) =>
      change({ filter: { _id: id, due_at: expected }, update: { $set: { due_at: dueAt } } }),

    markDue: (ids) => storeCall(() => markDue(models, ids)),

    markDueAt: (id, at) => change({ filter: { _id: id }, update: { $min: { due_at: at } } }),
  };
}
