import { z } from 'zod';
import { accountRoles } from '../account-roles.ts';
import { described, oneOf, timestamp } from '../members.ts';

/** The most members and invitations that an account has at once. */
export const maxMembers = 50;
/** For how long an invitation can be accepted, in days. */
export const invitationDays = 7;

const role = described(
  oneOf(accountRoles),
  '`viewer` reads. `developer` also makes and changes keys, webhooks and backtests. `owner` also decides about members, and reads ' +
    'the audit log.',
  'developer',
);
const email = z.string().meta({ example: 'colleague@example.com' });

/** The identifier of an account, and of the person who has created it. */
export const accountIdSchema = z
  .string()
  .regex(/^acct_[0-9A-Z]{26}$/, 'must be the identifier of an account')
  .meta({ example: 'acct_01J9ZPX1F3H5K7M9P1R3T5V7X9' });

/** The identifier of an invitation. */
export const invitationIdSchema = z
  .string()
  .regex(/^inv_[0-9A-Z]{26}$/, 'must be the identifier of an invitation')
  .meta({ example: 'inv_01J9ZQ6W9A1C3E5G7J9M1N3Q5S' });

/** An account that a person may act for. */
export const accountChoiceSchema = z
  .strictObject({ id: accountIdSchema, email, role })
  .meta({ id: 'AccountChoice' });
export type AccountChoice = z.infer<typeof accountChoiceSchema>;

/** A person who may act for an account. */
export const memberSchema = z
  .strictObject({
    id: accountIdSchema.describe('The person’s own account.'),
    email,
    role,
    joined_at: timestamp,
    founder: described(z.boolean(), 'Whether it is the account’s own person, who stays its owner.', false),
  })
  .meta({ id: 'Member' });
export type MemberView = z.infer<typeof memberSchema>;

/** An invitation that nobody has accepted yet. */
export const invitationSchema = z
  .strictObject({
    id: invitationIdSchema,
    email,
    role,
    created_at: timestamp,
    expires_at: timestamp.meta({ example: '2026-01-08T12:00:00.000Z' }),
  })
  .meta({ id: 'Invitation' });
export type InvitationView = z.infer<typeof invitationSchema>;

/** Answer of `GET /account/members`. */
export const teamSchema = z
  .strictObject({ members: z.array(memberSchema), invitations: z.array(invitationSchema) })
  .meta({ id: 'Team' });
export type TeamView = z.infer<typeof teamSchema>;

/** Body of `POST /account/members/invitations`. */
export const inviteSchema = z
  .strictObject({
    email: z
      .string()
      .trim()
      .max(254)
      .pipe(z.email('must be an e-mail address'))
      .meta({ example: 'colleague@example.com' }),
    role,
  })
  .meta({ id: 'Invite' });

/** Body of `PATCH /account/members/{member_id}`. */
export const changeMemberSchema = z.strictObject({ role }).meta({ id: 'ChangeMember' });

/** Body of `POST /account/invitations/read` and `…/accept`. */
export const acceptInvitationSchema = z
  .strictObject({
    token: z.string().min(1).max(2_000).describe('From the link of the mail.').meta({ example: 'eyJ…' }),
  })
  .meta({ id: 'AcceptInvitation' });

/** Body of `POST /account/session/switch`. */
export const switchAccountSchema = z.strictObject({ account: accountIdSchema }).meta({ id: 'SwitchAccount' });
