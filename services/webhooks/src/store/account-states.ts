import { isInserted, storeCall } from '@sigcast/mongo';
import type { AccountStates } from '../domain/account-state.ts';
import { recordDeletion, removeDeliveries } from './deleted-subscriptions.ts';
import type { AccountStateCopy, AccountStateDocument } from './documents.ts';
import { atOnce } from './lane-store.ts';
import type { Models } from './models.ts';

/** More than the clocks of gateways and of this service differ: rather one webhook too many is paused than one too few. */
const clocksDifferMs = 5_000;

/** The states of accounts in MongoDB. Each subscription has a copy of its account's state, which claims read. */
export function mongoAccountStates(models: Models): AccountStates {
  const { accountStates, subscriptions, deletedSubscriptions } = models;
  return {
    save: ({ account, rev, status, unverified, accessRevokedAt }) =>
      storeCall(async () => {
        const write = (upsert: boolean) =>
          accountStates.updateOne(
            { _id: account, rev: { $lte: rev } },
            { $set: { rev, status, unverified, ...revocation(accessRevokedAt) } },
            { upsert },
          );
        if (await isInserted(() => write(true))) return true;
        // The stored state is newer, or an older one was inserted at the same moment.
        return (await write(false)).matchedCount === 1;
      }),

    apply: (state) =>
      storeCall(() =>
        applyTo(models, { account: state.account }, { ...state, ...revocation(state.accessRevokedAt) }),
      ),

    removeAll: (account) =>
      storeCall(async () => {
        const found = await subscriptions.find({ account }, { _id: 1 }).lean();
        const ids = found.map(({ _id }) => _id);
        // Recorded first, for deliveries that are made meanwhile. Subscriptions go last, so that an interrupted removal can be repeated.
        for (const _id of ids) await recordDeletion(models, { _id, at: new Date() });
        for (const id of ids) await removeDeliveries(models, id);
        await subscriptions.deleteMany({ account });
        await deletedSubscriptions.updateMany(
          { account, 'idempotency.key': { $exists: true } },
          { $unset: { account: '', created_at: '', idempotency: '' } },
        );
      }),
  };
}

/** The newest state of an account, with which a new subscription begins; null where none is known. */
export async function findAccountState(models: Models, account: string) {
  const state = await models.accountStates.findById(account).lean();
  return state && { copy: copyOf(state), deleted: state.status === 'deleted' };
}

/**
 * Applies its account's state to a subscription that was just inserted, since the state may have changed meanwhile.
 * @returns whether the account is deleted, and then the subscription as well, and whether its address is unverified; undefined
 *   where no state is known.
 */
export async function applyAccountState(
  models: Models,
  { _id, account }: { readonly _id: string; readonly account: string },
): Promise<{ readonly deleted: boolean; readonly unverified: boolean } | undefined> {
  const state = await models.accountStates.findById(account).lean();
  if (!state) return undefined;
  await applyTo(models, { _id }, state);
  const { unverified } = state;
  if (state.status !== 'deleted') return { deleted: false, unverified };
  await recordDeletion(models, { _id, at: new Date() });
  await models.subscriptions.deleteOne({ _id, account });
  return { deleted: true, unverified };
}

async function applyTo(
  { subscriptions }: Models,
  which: { readonly _id: string } | { readonly account: string },
  account: Omit<AccountStateDocument, '_id'>,
): Promise<void> {
  const { rev, access_revoked_at: revokedAt } = account;
  const withOlderState = { ...which, 'account_state.rev': { $not: { $gte: rev } } };
  const state = { account_state: copyOf(account) };
  const { suspended, unverified } = state.account_state;
  // Once for each revocation: the account may enable it again, whatever state follows.
  if (revokedAt !== undefined) {
    await subscriptions.updateMany(
      {
        ...withOlderState,
        status: { $in: ['enabled', 'pending'] },
        'account_state.access_revoked_at': { $ne: revokedAt },
        created_at: { $lte: new Date(revokedAt.getTime() + clocksDifferMs) },
      },
      { $set: { status: 'disabled', disabled: { reason: 'paused', at: revokedAt }, updated_at: revokedAt } },
    );
  }
  // After a resumption the waiting deliveries are due, and a new streak begins: nothing was attempted meanwhile.
  if (!suspended) {
    const resumed = { ...state, failing_since: null, due_at: atOnce };
    await subscriptions.updateMany({ ...withOlderState, 'account_state.suspended': true }, { $set: resumed });
  }
  await subscriptions.updateMany(withOlderState, { $set: state });
  // After the state is set: from then on an account that enables a subscription gives it the right status.
  const [from, status] = unverified ? (['enabled', 'pending'] as const) : (['pending', 'enabled'] as const);
  const withThisState = { ...which, 'account_state.rev': rev, status: from };
  await subscriptions.updateMany(withThisState, { $set: { status, ...(!suspended && { due_at: atOnce }) } });
}

/** The copy of an account's state in each of its subscriptions. */
function copyOf({
  rev,
  status,
  unverified,
  access_revoked_at: revokedAt,
}: Omit<AccountStateDocument, '_id'>): AccountStateCopy {
  return {
    rev,
    suspended: status !== 'active' || unverified,
    ...(unverified && { unverified }),
    ...revocation(revokedAt ?? null),
  };
}

function revocation(at: Date | null) {
  return at === null ? {} : { access_revoked_at: at };
}
