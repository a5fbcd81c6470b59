import { invitationDays, maxMembers, SigcastError } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import type { Invitation, Member, Members } from '../domain/members.ts';
import { dayMs } from '../domain/usage.ts';
import type { InvitationDocument, MemberDocument, Models } from './models.ts';

/** The most accounts of others that are shown to a person. */
const maxAccounts = 100;

/** Members and invitations in MongoDB. */
export function mongoMembers({ accounts, members, invitations }: Models, clock: () => number): Members {
  const live = () => ({ expires_at: { $gt: new Date(clock()) } });
  const count = async (account: string) => {
    const [joined, invited] = await Promise.all([
      members.countDocuments({ account }, { hint: 'by_account' }),
      invitations.countDocuments({ account, ...live() }, { hint: 'by_account' }),
    ]);
    return joined + invited;
  };
  return {
    roleOf: (account, person) =>
      storeCall(async () => (await members.findById(memberId(account, person)).lean())?.role),

    list: (account) =>
      storeCall(async () => {
        const found = await members
          .find({ account })
          .sort({ account: 1, joined_at: 1 })
          .hint('by_account')
          .lean();
        return found.map(toMember);
      }),

    accountsOf: (person) =>
      storeCall(async () => {
        const found = await members.find({ person }).hint('by_person').limit(maxAccounts).lean();
        return found.map(toMember);
      }),

    changeRole: (account, person, role) =>
      storeCall(async () => {
        const changed = await members
          .findByIdAndUpdate(memberId(account, person), { $set: { role } }, { returnDocument: 'after' })
          .lean();
        return changed === null ? undefined : toMember(changed);
      }),

    remove: (account, person) =>
      storeCall(async () => {
        const { deletedCount } = await members.deleteOne({ _id: memberId(account, person) });
        return deletedCount === 1;
      }),

    invite: ({ account, email, role }) =>
      storeCall(async () => {
        const nowMs = clock();
        const document: InvitationDocument = {
          _id: newId('inv', nowMs),
          account,
          email,
          role,
          created_at: new Date(nowMs),
          expires_at: new Date(nowMs + invitationDays * dayMs),
        };
        const older = { account, email, _id: { $lt: document._id } };
        await invitations.create(document);
        // Counted afterwards, so that invitations made at the same time count as well.
        const replaced = await invitations.countDocuments({ ...older, ...live() }, { hint: 'by_account' });
        if ((await count(account)) - replaced > maxMembers - 1) {
          await invitations.deleteOne({ _id: document._id });
          throw new SigcastError(
            'CONFLICT',
            `The account has ${maxMembers} members and invitations, the most allowed: remove one first`,
          );
        }
        await invitations.deleteMany(older).hint('by_account');
        return toInvitation(document);
      }),

    invitations: (account) =>
      storeCall(async () => {
        const found = await invitations
          .find({ account, ...live() })
          .hint('by_account')
          .lean();
        return found.map(toInvitation);
      }),

    findInvitation: (id) =>
      storeCall(async () => {
        const found = await invitations.findOne({ _id: id, ...live() }).lean();
        return found === null ? undefined : toInvitation(found);
      }),

    withdraw: (account, id) =>
      storeCall(async () => (await invitations.deleteOne({ _id: id, account })).deletedCount === 1),

    // Members first, so that none invites afterwards; and again for those who have accepted meanwhile.
    removeAll: (account) =>
      storeCall(async () => {
        await accounts.updateOne({ _id: account }, { $set: { members_removed_at: new Date(clock()) } });
        await members.deleteMany({ account }).hint('by_account');
        await invitations.deleteMany({ account }).hint('by_account');
        await members.deleteMany({ account }).hint('by_account');
      }),

    accept: (id, person) =>
      storeCall(async () => {
        // First, so that of two who accept one becomes a member.
        const used = await invitations.findOneAndDelete({ _id: id, ...live() }).lean();
        if (used === null) return undefined;
        const { account, role } = used;
        const joined = await members
          .findByIdAndUpdate(
            memberId(account, person),
            { $set: { role }, $setOnInsert: { account, person, joined_at: new Date(clock()) } },
            { upsert: true, returnDocument: 'after' },
          )
          .lean();
        // A removal of all members meanwhile may have looked before this one was there.
        const removedAt = (await accounts.findById(account).lean())?.members_removed_at;
        if (removedAt !== undefined && used.created_at <= removedAt) {
          await members.deleteOne({ _id: memberId(account, person) });
          return undefined;
        }
        return joined === null ? undefined : toMember(joined);
      }),
  };
}

/** The id of a member's document. */
export function memberId(account: string, person: string): string {
  return `${account}:${person}`;
}

function toMember({ account, person, role, joined_at: joinedAt }: MemberDocument): Member {
  return { account, person, role, joinedAt };
}

function toInvitation({ _id, created_at, expires_at, account, email, role }: InvitationDocument): Invitation {
  return { id: _id, account, email, role, createdAt: created_at, expiresAt: expires_at };
}
