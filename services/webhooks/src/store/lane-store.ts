import { idBatches, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { LaneStore, TakenLane } from '../domain/attempting.ts';
import { idleLookMs } from '../domain/lanes-in-hand.ts';
import { isProven } from './documents.ts';
import { indexNames } from './indexes.ts';
import { type Models, plainSubscriptions } from './models.ts';

/** "At once", whatever the clock of the process that says it. */
export const atOnce = new Date(0);

const batches = { most: 100, atOnce: 2 };

/** Its account is suspended: nothing of it is attempted. */
export const isHeld = { 'account_state.suspended': true } as const;
/** The opposite, also where nothing is known of the account. */
export const isFree = { 'account_state.suspended': { $ne: true } } as const;

/** Marks lanes as due at once, but those that are held: whoever lets them go marks them. */
export async function markDue(
  { subscriptions }: Pick<Models, 'subscriptions'>,
  ids: readonly string[],
): Promise<void> {
  for (const some of idBatches(ids)) {
    const free = { _id: { $in: some }, ...isFree };
    await subscriptions.updateMany(free, { $min: { due_at: atOnce } });
  }
}

/** Lanes in MongoDB: `due_at` of each subscription. `now`: the store's clock, in Unix milliseconds. */
export function mongoLaneStore(models: Models, now: () => number): LaneStore {
  const { subscriptions } = models;
  type Filter = {
    readonly _id: string;
    readonly due_at?: Date;
    readonly url?: string;
    readonly proven?: false;
  };
  type Change = { readonly filter: Filter; readonly update: object };
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
        const address = {
          account: 1,
          url: 1,
          proven: 1,
          ordered: 1,
          status: 1,
          disabled: 1,
          updated_at: 1,
          account_state: 1,
        } as const;
        // Others' lanes may stand before ours, for as long as their worker takes to notice, or to be missed.
        const all = subscriptions.find(due, { account: 1 }).sort({ due_at: 1 }).hint(indexNames.lanes).lean();
        for await (const { _id, account } of all.cursor({ batchSize: limit })) {
          if (owns(account) && own.push(_id) === limit) break;
        }
        const lanes: TakenLane[] = [];
        for (const some of idBatches(own)) {
          await subscriptions.updateMany({ _id: { $in: some }, ...due }, { $set: { due_at: hiddenUntil } });
          // Read after it is hidden: who enables a subscription meanwhile, or changes its address, marks it anew.
          const found = await subscriptions.find({ _id: { $in: some } }, address).lean();
          const byId = new Map(found.map((one) => [one._id, one]));
          const held: string[] = [];
          for (const id of some) {
            const one = byId.get(id);
            if (one === undefined) continue; // deleted meanwhile
            if (one.account_state?.suspended) {
              held.push(id);
              continue;
            }
            const disabledAt = one.status === 'disabled' ? (one.disabled?.at ?? one.updated_at) : undefined;
            const { account, url, ordered = false } = one;
            lanes.push({ id, account, url, proven: isProven(one), ordered, disabledAt });
          }
          if (held.length > 0) await putOff(held, hiddenUntil);
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

    prove: (id, url) =>
      change({ filter: { _id: id, url, proven: false }, update: { $set: { proven: true } } }),

    markDueAt: (id, at) => change({ filter: { _id: id }, update: { $min: { due_at: at } } }),
  };
}
