import { dueBy, idBatches, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { DueLane, LaneStore } from '../domain/attempt-ports.ts';
import { idleQueryMs } from '../domain/worker-lanes.ts';
import { batchTermsOf } from './documents.ts';
import { indexNames } from './indexes.ts';
import { type Models, plainSubscriptions } from './models.ts';

/** A due time that means "at once", whatever the clock of the process that writes it. */
export const atOnce = new Date(0);

const batches = { most: 100, atOnce: 2 };

/** Matches subscriptions of suspended accounts. */
export const suspendedAccount = { 'account_state.suspended': true } as const;
/** Matches subscriptions of all other accounts, including those without a known state. */
export const activeAccount = { 'account_state.suspended': { $ne: true } } as const;

/**
 * Marks lanes as due at an instant, at once unless given, where they are not due earlier. Lanes of suspended accounts are
 * marked when the account is resumed.
 */
export async function markDue(models: Models, ids: readonly string[], at = atOnce): Promise<void> {
  for (const some of idBatches(ids)) {
    const active = { _id: { $in: [...some] }, ...activeAccount };
    await plainSubscriptions(models).updateMany(active, { $min: { due_at: at } });
  }
}

/** Lanes in MongoDB: `due_at` of each subscription. `now`: the store's clock, in Unix milliseconds. */
export function mongoLaneStore(models: Models, now: () => number): LaneStore {
  const { subscriptions } = models;
  type Change = {
    readonly filter: { readonly _id: string; readonly url?: string; readonly proven?: false };
    readonly update: object;
  };
  /** Updates of single lanes. Those that come at the same time share a command. */
  const change = inBatches(async (batch: readonly Change[]) => {
    const updates = batch.map(({ filter, update }) => ({ updateOne: { filter, update } }));
    await storeCall(() => plainSubscriptions(models).bulkWrite(updates, { ordered: false }));
    return batch.map(() => undefined);
  }, batches);
  type Mark = { readonly ids: readonly string[]; readonly at: Date };
  /** Marks lanes as due. A lane that several deliveries come for at the same time is marked once. */
  const mark = inBatches(async (batch: readonly Mark[]) => {
    for (const [atMs, marks] of Map.groupBy(batch, ({ at }) => at.getTime())) {
      const ids = new Set(marks.flatMap((one) => one.ids));
      await storeCall(() => markDue(models, [...ids], new Date(atMs)));
    }
    return batch.map(() => undefined);
  }, batches);
  /** Defers lanes of suspended accounts to the next idle query, unless the account was resumed meanwhile. */
  const deferLanes = (ids: readonly string[], until: Date) =>
    subscriptions.updateMany(
      { _id: { $in: ids }, ...suspendedAccount, due_at: until },
      { $set: { due_at: new Date(now() + idleQueryMs) } },
    );
  return {
    postponeDue: (owns, { until, limit, aheadMs }) =>
      storeCall(async () => {
        const nowMs = now();
        const due = { due_at: dueBy(new Date(nowMs)) };
        const soon = { due_at: dueBy(new Date(nowMs + aheadMs)) };
        const own: string[] = [];
        let nextDueAt: Date | undefined;
        const fields = {
          account: 1,
          url: 1,
          proven: 1,
          ordered: 1,
          batch: 1,
          chat: 1,
          status: 1,
          disabled: 1,
          updated_at: 1,
          account_state: 1,
        } as const;
        // Lanes of other workers may come before this worker's, so the limit applies to this worker's lanes alone.
        const all = subscriptions
          .find(soon, { account: 1, due_at: 1 })
          .sort({ due_at: 1 })
          .hint(indexNames.lanes)
          .lean();
        // eslint-disable-next-line no-restricted-syntax -- a lane that another worker postpones meanwhile moves: it may come twice, or at the next look
        for await (const { _id, account, due_at: dueAt } of all.cursor({ batchSize: limit })) {
          if (!owns(account)) continue;
          if (dueAt.getTime() > nowMs) {
            nextDueAt = dueAt;
            break;
          }
          if (own.push(_id) === limit) break;
        }
        const postponed: DueLane[] = [];
        for (const some of idBatches(own)) {
          await subscriptions.updateMany({ _id: { $in: some }, ...due }, { $set: { due_at: until } });
          // Read after the due time is written: a change of status or address after this read marks the lane as due again.
          const found = await subscriptions.find({ _id: { $in: some } }, fields).lean();
          const byId = new Map(found.map((one) => [one._id, one]));
          const suspended: string[] = [];
          for (const id of some) {
            const one = byId.get(id);
            if (one === undefined) continue; // deleted meanwhile
            if (one.account_state?.suspended) {
              suspended.push(id);
              continue;
            }
            const disabledAt = one.status === 'disabled' ? (one.disabled?.at ?? one.updated_at) : undefined;
            const { account, url, proven, ordered } = one;
            postponed.push({ id, account, url, proven, ordered, batch: batchTermsOf(one), disabledAt });
          }
          if (suspended.length > 0) await deferLanes(suspended, until);
        }
        return { postponed, nextDueAt };
      }),

    release: (id, expected, dueAt) => {
      const earlier = { $min: ['$due_at', dueAt] };
      const next = { $cond: [{ $eq: ['$due_at', expected] }, dueAt, earlier] };
      return change({ filter: { _id: id }, update: [{ $set: { due_at: next } }] });
    },

    markDue: (ids, at = atOnce) => mark({ ids, at }),

    prove: (id, url) =>
      change({ filter: { _id: id, url, proven: false }, update: { $set: { proven: true } } }),
  };
}
