import { storeCall } from '@sigcast/mongo';
import type { AccountNotices } from '../domain/account-notices.ts';
import { type Models, passkeyIndexNames } from './models.ts';

/** Account notices in MongoDB. `noticed: false` marks an account whose notice is not published yet. */
export function mongoAccountNotices(models: Models): AccountNotices {
  const { accounts, keys, sessions, secondFactors, passkeys, usage, mails, audit, requests } = models;
  const { members, invitations } = models;
  return {
    waiting: (limit) =>
      storeCall(async () => {
        const found = await accounts
          .find({ noticed: false }, { rev: 1, status: 1, verification: 1, access_revoked_at: 1 })
          .hint('unnoticed')
          .limit(limit)
          .lean();
        return found.map(({ _id, rev, status, verification, access_revoked_at }) => ({
          account: _id,
          rev,
          status,
          unverified: verification === 'pending',
          accessRevokedAt: access_revoked_at ?? null,
        }));
      }),

    markPublished: ({ account, rev, status }) =>
      storeCall(async () => {
        if (status === 'deleted') {
          // Before the notice is marked: after a crash in between, all is removed again and nothing is left behind.
          await keys.deleteMany({ account });
          await sessions.deleteMany({ account });
          await secondFactors.deleteOne({ _id: account });
          await passkeys.deleteMany({ account }).hint(passkeyIndexNames.slots);
          await mails.deleteMany({ account });
          await audit.deleteMany({ account });
          await requests.deleteMany({ account });
          await members.deleteMany({ account });
          await members.deleteMany({ person: account });
          await invitations.deleteMany({ account });
          await usage.deleteMany({ _id: { $gte: `${account}:`, $lt: `${account};` } }); // ';' follows ':'
        }
        await accounts.updateOne({ _id: account, rev }, { $set: { noticed: true } });
      }),
  };
}
