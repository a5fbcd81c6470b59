import { isDuplicateKey, storeCall } from '@sigcast/mongo';
import type { AccountState, AccountStates } from '../domain/account-state.ts';
import { noteDeletion } from './deleted-subscriptions.ts';
import { atOnce } from './lane-store.ts';
import type { Models } from './models.ts';

/** Accounts' states in MongoDB, each with its account and, as far as attempts need it, with every subscription. */
export function mongoAccountStates(models: Models): AccountStates {
  const { accountStates, subscriptions, deliveries } = models;
  return {
    keep: ({ account, rev, status }) =>
      storeCall(async () => {
        const write = (upsert: boolean) =>
          accountStates.updateOne(
            { _id: account, rev: { $lte: rev } },
            { $set: { rev, status } },
            { upsert },
          );
        try {
          await write(true);
          return true;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
          // There is one that did not match: a newer one, or an older one that was made at the same moment.
          return (await write(false)).matchedCount === 1;
        }
      }),

    apply: (state) => storeCall(() => applyTo(models, { account: state.account }, state)),

    removeAll: (account) =>
      storeCall(async () => {
        const found = await subscriptions.find({ account }, { _id: 1 }).lean();
        const ids = found.map(({ _id }) => _id);
        // First, for what is made meanwhile. The subscriptions last: they say what is to be removed, should this be cut off.
        for (const id of ids) await noteDeletion(models, id, new Date());
        await deliveries.deleteMany({ subscription: { $in: ids } });
        await subscriptions.deleteMany({ account });
      }),
  };
}

/** An account's newest state, as a subscription that is made now begins with it; undefined where none is known. */
export async function ownAccountState(models: Models, account: string) {
  const state = await models.accountStates.findById(account).lean();
  return (
    state && { rev: state.rev, suspended: state.status !== 'active', deleted: state.status === 'deleted' }
  );
}

/**
 * Has a subscription that was just made follow its account: the state may have come while it was made.
 * @returns false when the account is deleted, and so is the subscription.
 */
export async function followOwnAccount(
  models: Models,
  { _id, account }: { readonly _id: string; readonly account: string },
): Promise<boolean> {
  const state = await models.accountStates.findById(account).lean();
  if (!state) return true;
  await applyTo(models, { _id }, state);
  if (state.status !== 'deleted') return true;
  await noteDeletion(models, _id, new Date());
  await models.subscriptions.deleteOne({ _id, account });
  return false;
}

async function applyTo(
  { subscriptions }: Models,
  which: { readonly _id: string } | { readonly account: string },
  { rev, status }: Pick<AccountState, 'rev' | 'status'>,
): Promise<void> {
  const suspended = status !== 'active';
  const older = { ...which, 'account_state.rev': { $not: { $gte: rev } } };
  const state = { account_state: { rev, suspended } };
  // Resumed: what waited is due, and days without attempts say nothing of the endpoint.
  if (!suspended) {
    const resumed = { ...state, failing_since: null, due_at: atOnce };
    await subscriptions.updateMany({ ...older, 'account_state.suspended': true }, { $set: resumed });
  }
  await subscriptions.updateMany(older, { $set: state });
}
