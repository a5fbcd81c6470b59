import { type AccountRole, mayDo, SigcastError } from '@sigcast/contracts';
import type { Account } from './accounts.ts';

/** Somebody who is signed in, the account they act for, and their role in it. */
export type Holder = { readonly account: Account; readonly person: Account; readonly role: AccountRole };

/** A person who acts for their own account. */
export function ownHolder(account: Account): Holder {
  return { account, person: account, role: 'owner' };
}

/** A person in an account that another person has founded. */
export type Member = {
  readonly account: string;
  /** The id of the person's own account. */
  readonly person: string;
  readonly role: AccountRole;
  readonly joinedAt: Date;
};

/** An invitation that nobody has accepted yet. */
export type Invitation = {
  readonly id: string;
  readonly account: string;
  /** As `normaliseEmail` writes it. */
  readonly email: string;
  readonly role: AccountRole;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** Members of accounts, and invitations to become one. All throw SERVICE_UNAVAILABLE when the store can't be asked. */
export type Members = {
  /** The role of a person in an account of somebody else; undefined where they are no member. */
  roleOf(account: string, person: string): Promise<AccountRole | undefined>;
  /** An account's members, as they joined, without its founder. */
  list(account: string): Promise<Member[]>;
  /** The accounts that a person is a member of. */
  accountsOf(person: string): Promise<Member[]>;
  /** Undefined when the person is no member. */
  changeRole(account: string, person: string, role: AccountRole): Promise<Member | undefined>;
  /** False when the person is no member. */
  remove(account: string, person: string): Promise<boolean>;
  /**
   * Invites an address. Replaces its invitation of before, if there is one.
   * @throws {SigcastError} CONFLICT when the account has the most members and invitations.
   */
  invite(given: Pick<Invitation, 'account' | 'email' | 'role'>): Promise<Invitation>;
  invitations(account: string): Promise<Invitation[]>;
  /** An invitation that waits; undefined when it was accepted or withdrawn, or has expired. */
  findInvitation(id: string): Promise<Invitation | undefined>;
  /** False when the account has no such invitation. */
  withdraw(account: string, id: string): Promise<boolean>;
  /** Removes all members of an account but its founder, and all invitations. */
  removeAll(account: string): Promise<void>;
  /** Makes a person a member by an invitation, which is used up. Undefined when it does not wait any more. */
  accept(id: string, person: string): Promise<Member | undefined>;
};

/** @throws {SigcastError} FORBIDDEN, naming the role that is needed. */
export function requireRole(role: AccountRole, needed: AccountRole): void {
  if (mayDo(role, needed)) return;
  throw new SigcastError(
    'FORBIDDEN',
    `This needs the role ${needed} in the account; yours is ${role}. Ask an owner of the account`,
  );
}
