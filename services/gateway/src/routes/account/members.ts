import {
  type InvitationView,
  invalidRequest,
  type MemberView,
  SigcastError,
  type TeamView,
} from '@sigcast/contracts';
import { type Account, normaliseEmail } from '../../domain/accounts.ts';
import { recorded } from '../../domain/audit.ts';
import { findActing } from '../../domain/holder.ts';
import { type Invitation, requireRole } from '../../domain/members.ts';
import { sessionOf } from './answer-session.ts';
import { type AccountHandlers, confirmMade } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { addLetter, limitOfNetwork } from './letters.ts';
import { acceptByAccount, invitationsByAccount } from './rules.ts';

type MemberHandlers = Pick<
  AccountHandlers,
  | 'listMembers'
  | 'inviteMember'
  | 'withdrawInvitation'
  | 'changeMember'
  | 'removeMember'
  | 'readInvitation'
  | 'acceptInvitation'
  | 'switchAccount'
>;

/** The people of an account, and acting for the account of others. */
export function memberHandlers(deps: AccountDeps): MemberHandlers {
  const { members, audit } = deps;
  return {
    listMembers: async ({ caller: { account } }) => ({ data: await teamOf(deps, account) }),

    inviteMember: async ({ body, caller, req }) => {
      const given = await body();
      await caller.confirm(); // a body may have taken seconds
      if (deps.mail.add === undefined) {
        throw new SigcastError('CONFLICT', 'This server sends no mail, so nobody can be invited');
      }
      const { account } = caller;
      const email = normaliseEmail(given.email);
      if ((await membersOf(deps, account)).some((member) => member.email === email)) {
        throw invalidRequest([{ field: 'email', message: 'is a member already' }]);
      }
      await deps.throttle.charge(invitationsByAccount, account.id);
      await deps.throttle.charge(...limitOfNetwork(deps, req, 'invitation'));
      const entry = { ...caller.by, action: 'member.invited', target: email } as const;
      const invitation = await recorded(audit, entry, async () => {
        const made = await members.invite({ account: account.id, email, role: given.role });
        await confirmMade(caller, () => members.withdraw(account.id, made.id));
        return made;
      });
      const values = { account: account.id, invitation: invitation.id };
      await addLetter(deps, { to: email, kind: 'invitation', values });
      return { data: invitationView(invitation) };
    },

    withdrawInvitation: async ({ path, caller }) => {
      const { account, by } = caller;
      const invitation = await members.findInvitation(path.invitation_id);
      if (invitation?.account !== account.id) throw noSuchInvitation();
      const entry = { ...by, action: 'member.invitation_withdrawn', target: invitation.email } as const;
      await recorded(audit, entry, async () => {
        if (!(await members.withdraw(account.id, invitation.id))) throw noSuchInvitation();
      });
      return undefined;
    },

    changeMember: async ({ path, body, caller: { account, by, confirm } }) => {
      const { role } = await body();
      await confirm(); // a body may have taken seconds
      refuseFounder(account, path.member_id);
      await requireMember(deps, account, path.member_id);
      await recorded(audit, { ...by, action: 'member.changed', target: path.member_id }, async () => {
        if ((await members.changeRole(account.id, path.member_id, role)) === undefined) throw noSuchMember();
      });
      const changed = (await membersOf(deps, account)).find(({ id }) => id === path.member_id);
      if (changed === undefined) throw noSuchMember();
      return { data: changed };
    },

    removeMember: async ({ path, caller: { account, person, role, by } }) => {
      if (path.member_id !== person.id) requireRole(role, 'owner');
      refuseFounder(account, path.member_id);
      await requireMember(deps, account, path.member_id);
      await recorded(audit, { ...by, action: 'member.removed', target: path.member_id }, async () => {
        if (!(await members.remove(account.id, path.member_id))) throw noSuchMember();
      });
      return undefined;
    },

    readInvitation: async ({ body, caller: { person } }) => {
      const { invitation, account } = await findInvitation(deps, (await body()).token, person);
      return { data: { id: account.id, email: account.email, role: invitation.role } };
    },

    acceptInvitation: async ({ body, caller: { person, by } }) => {
      await deps.throttle.charge(acceptByAccount, person.id);
      const { invitation, account } = await findInvitation(deps, (await body()).token, person);
      // The link came to this address. Before the invitation is used up: where this fails, the link does it again.
      if (person.verification !== 'verified') {
        const verify = () => deps.accounts.verify(person.id);
        await recorded(audit, { ...by, action: 'email.verified' }, verify);
      }
      const entry = { ...by, account: account.id, action: 'member.joined', target: person.id } as const;
      const joined = await recorded(audit, entry, async () => {
        const member = await members.accept(invitation.id, person.id);
        if (member === undefined) throw unusable();
        return member;
      });
      return { data: { id: account.id, email: account.email, role: joined.role } };
    },

    switchAccount: async ({ body, caller: { person, sessionId } }) => {
      const { account: id } = await body();
      const holder = await findActing(deps, person, id);
      if (holder?.account.status !== 'active') {
        throw new SigcastError('NOT_FOUND', 'You are no member of such an account');
      }
      await deps.sessions.actFor(sessionId, id);
      return { data: await sessionOf(deps, holder, sessionId) };
    },
  };
}

/**
 * An invitation that waits for a person, and its account.
 * @throws {SigcastError} INVALID_REQUEST for the token of none, FORBIDDEN where it is for another address.
 */
async function findInvitation(
  { members, accounts, tokens }: AccountDeps,
  token: string,
  person: Account,
): Promise<{ readonly invitation: Invitation; readonly account: Account }> {
  const id = tokens.invitation.read(token);
  const invitation = id === undefined ? undefined : await members.findInvitation(id);
  if (invitation === undefined) throw unusable();
  if (invitation.email !== person.email) {
    throw new SigcastError(
      'FORBIDDEN',
      'This invitation is for another e-mail address: sign in with the address that the mail went to',
    );
  }
  const account = await accounts.find(invitation.account);
  if (account?.status !== 'active') throw unusable();
  return { invitation, account };
}

/** An account's people and its invitations that wait. */
export async function teamOf(deps: AccountDeps, account: Account): Promise<TeamView> {
  const [members, invitations] = await Promise.all([
    membersOf(deps, account),
    deps.members.invitations(account.id),
  ]);
  return { members, invitations: invitations.map(invitationView) };
}

/** An account's founder, then its members as they joined; without those whose own account is deleted. */
async function membersOf({ members, emailsOf }: AccountDeps, account: Account): Promise<MemberView[]> {
  const joined = await members.list(account.id);
  const emails = await emailsOf(joined.map(({ person }) => person));
  const { id, email, createdAt } = account;
  const founder: MemberView = {
    id,
    email,
    role: 'owner',
    joined_at: createdAt.toISOString(),
    founder: true,
  };
  const others = joined.flatMap(({ person, role, joinedAt }): MemberView[] => {
    const address = emails.get(person);
    if (address === undefined) return [];
    return [{ id: person, email: address, role, joined_at: joinedAt.toISOString(), founder: false }];
  });
  return [founder, ...others];
}

function invitationView({ id, email, role, createdAt, expiresAt }: Invitation): InvitationView {
  return { id, email, role, created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() };
}

/** @throws {SigcastError} CONFLICT for the account's founder: it is their own account. */
function refuseFounder(account: Account, person: string): void {
  if (person !== account.id) return;
  throw new SigcastError('CONFLICT', 'The founder of an account stays its owner');
}

/** @throws {SigcastError} NOT_FOUND for somebody who is no member. */
async function requireMember({ members }: AccountDeps, account: Account, person: string): Promise<void> {
  if ((await members.roleOf(account.id, person)) === undefined) throw noSuchMember();
}

const noSuchMember = () => new SigcastError('NOT_FOUND', 'There is no such member');
const noSuchInvitation = () => new SigcastError('NOT_FOUND', 'There is no such invitation');
/** The same whether it was used, withdrawn, has expired or never existed. */
const unusable = () =>
  invalidRequest([
    { field: 'token', message: 'is of an invitation that was used or withdrawn, or is no longer valid' },
  ]);
