import { successSchema } from '../envelope.ts';
import { sessionSchema } from '../resources/account.ts';
import {
  acceptInvitationSchema,
  accountChoiceSchema,
  accountIdSchema,
  changeMemberSchema,
  invitationDays,
  invitationIdSchema,
  invitationSchema,
  inviteSchema,
  maxMembers,
  memberSchema,
  switchAccountSchema,
  teamSchema,
} from '../resources/members.ts';
import type { Operation, PathParameters } from './operation.ts';

/** Parameters in paths of members. */
export const memberParameters = {
  member_id: { schema: accountIdSchema, description: 'The identifier of the member’s own account.' },
  invitation_id: { schema: invitationIdSchema, description: 'An invitation’s identifier.' },
} satisfies PathParameters;

/** The people of an account, and acting for an account of others. */
export const memberOperations = [
  {
    method: 'post',
    path: '/account/session/switch',
    id: 'switchAccount',
    service: 'gateway',
    tag: 'Account',
    summary: 'Switch to another account',
    description:
      'The session, with its renewals, acts for the account from now on: one that you are a member of, or your own. Other tabs of the ' +
      'same browser do so when they renew their access token.',
    body: switchAccountSchema,
    success: 'An access token for the account.',
    answer: successSchema(sessionSchema),
    errors: ['NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/account/members',
    id: 'listMembers',
    service: 'gateway',
    role: 'viewer',
    tag: 'Members',
    summary: 'List members',
    description: 'The founder first, then the others as they joined, and the invitations that wait.',
    success: 'Members and invitations.',
    answer: successSchema(teamSchema),
  },
  {
    method: 'post',
    path: '/account/members/invitations',
    id: 'inviteMember',
    service: 'gateway',
    role: 'owner',
    tag: 'Members',
    summary: 'Invite a member',
    description:
      `The mail’s link works for ${invitationDays} days, once, for somebody signed in with that address. Another invitation of the same ` +
      `address replaces the first. An account has ${maxMembers} members and invitations at most.`,
    body: inviteSchema,
    status: 201,
    success: 'The invitation, whether or not the address has an account.',
    answer: successSchema(invitationSchema),
    errors: ['CONFLICT'],
  },
  {
    method: 'delete',
    path: '/account/members/invitations/{invitation_id}',
    id: 'withdrawInvitation',
    service: 'gateway',
    role: 'owner',
    tag: 'Members',
    summary: 'Withdraw an invitation',
    description: 'Its link works no longer.',
    status: 204,
    success: 'The invitation is gone.',
    errors: ['NOT_FOUND'],
  },
  {
    method: 'patch',
    path: '/account/members/{member_id}',
    id: 'changeMember',
    service: 'gateway',
    role: 'owner',
    tag: 'Members',
    summary: 'Change a member’s role',
    description: 'Holds from the member’s very next request on. The founder stays an owner.',
    body: changeMemberSchema,
    success: 'The member.',
    answer: successSchema(memberSchema),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'delete',
    path: '/account/members/{member_id}',
    id: 'removeMember',
    service: 'gateway',
    role: 'viewer',
    tag: 'Members',
    summary: 'Remove a member',
    description:
      'Owners remove any member, others themselves. The member’s very next request for the account is refused, and streams end ' +
      'within a second. Keys that the member has made stay. The founder can’t be removed.',
    status: 204,
    success: 'The member is gone.',
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'post',
    path: '/account/invitations/read',
    id: 'readInvitation',
    service: 'gateway',
    tag: 'Members',
    summary: 'Get an invitation',
    description: 'Needs a session with the address that the mail went to. Changes nothing.',
    body: acceptInvitationSchema,
    success: 'The account that it is for, and the role in it.',
    answer: successSchema(accountChoiceSchema),
  },
  {
    method: 'post',
    path: '/account/invitations/accept',
    id: 'acceptInvitation',
    service: 'gateway',
    tag: 'Members',
    summary: 'Accept an invitation',
    description:
      'Needs a session with the address that the mail went to. The link shows that the address is yours, so it is verified then.',
    body: acceptInvitationSchema,
    success: 'The account that you may act for now. `switchAccount` does it.',
    answer: successSchema(accountChoiceSchema),
  },
] as const satisfies readonly Operation[];
