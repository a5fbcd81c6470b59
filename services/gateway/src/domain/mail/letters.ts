import { invitationDays } from '@sigcast/contracts';
import type { Account } from '../accounts.ts';
import type { LinkTokens } from '../link-tokens.ts';
import type { Members } from '../members.ts';
import type { Content, Link } from './content.ts';

/** What is stored of a letter, by its kind. */
type LetterValues = {
  /** To whoever wants an account, or has one already. */
  readonly 'sign-up': Record<string, never>;
  /** To the holder of the account with this address, if there is one. */
  readonly reset: Record<string, never>;
  /** To the holder of an account, at the address that the account has or is to have. */
  readonly confirm: { readonly account: string };
  /** To whoever had an account that is deleted. */
  readonly farewell: Record<string, never>;
  /** To somebody who is to become a member of an account. */
  readonly invitation: { readonly account: string; readonly invitation: string };
};

export type LetterKind = keyof LetterValues;

/**
 * A mail to an address instead of an account, because somebody has entered the address. Nothing that gives access is stored: the
 * token of its link is made when the letter is sent. It is removed when it is sent.
 */
export type Letter<K extends LetterKind = LetterKind> = {
  readonly [Kind in K]: {
    readonly id: string;
    /** As `normaliseEmail` writes it. */
    readonly to: string;
    readonly kind: Kind;
    readonly values: LetterValues[Kind];
  };
}[K];

export type LetterDeps = {
  readonly accounts: {
    find(idOrEmail: string): Promise<Account | undefined>;
    findWithPassword(
      idOrEmail: string,
    ): Promise<{ readonly account: Account; readonly passwordHash: string } | undefined>;
  };
  readonly members: Pick<Members, 'findInvitation'>;
  readonly tokens: LinkTokens;
  readonly link: Link;
};

/** What a letter says; undefined where there is nobody to write to any more. */
type Write<K extends LetterKind> = (letter: Letter<K>, deps: LetterDeps) => Promise<Content | undefined>;

const ignore = 'If it was not you, ignore this mail: nothing happens without the link.';

/** What a reset does besides where nobody has shown that the address is theirs. */
const takesAll =
  'It was never confirmed that this address is yours, so somebody else may have made the account: the new password also revokes all API keys, pauses all webhooks, and removes passkeys, two-step sign-in, members and invitations.';

const letterKinds: { readonly [K in LetterKind]: Write<K> } = {
  'sign-up': async ({ to }, { accounts, tokens, link }) => {
    if ((await accounts.find(to)) !== undefined) {
      return {
        subject: 'You have an account already',
        blocks: [
          'Somebody, probably you, wanted to create an account with this e-mail address. It has one already, and nothing has changed.',
          { link: 'Sign in', to: link('/sign-in') },
          { link: 'Reset your password, if you do not know it any more', to: link('/forgot-password') },
        ],
      };
    }
    return {
      subject: 'Create your account',
      blocks: [
        'Somebody, probably you, wants to create an account with this e-mail address. The link is valid for 24 hours.',
        {
          link: 'Choose a password and create the account',
          to: link(`/sign-up/confirm#token=${tokens.signUp.make(to)}`),
        },
        ignore,
      ],
    };
  },

  reset: async ({ to }, { accounts, tokens, link }) => {
    const found = await accounts.findWithPassword(to);
    const isConfirmed = found?.account.verification === 'verified';
    return (
      found && {
        subject: 'Reset your password',
        blocks: [
          'Somebody, probably you, has lost the password of your account. The link is valid for 24 hours, and works once.',
          ...(isConfirmed ? [] : [takesAll]),
          {
            link: 'Choose a new password',
            // The page says so, too.
            to: link(`/reset#token=${tokens.reset.make(found)}${isConfirmed ? '' : '&unconfirmed'}`),
          },
          ignore,
        ],
        isConfirmed,
      }
    );
  },

  confirm: async ({ to, values: { account } }, { accounts, tokens, link }) => {
    const [own, owner] = await Promise.all([accounts.find(account), accounts.find(to)]);
    if (own === undefined) return undefined;
    const isOwn = own.email === to;
    if (!isOwn && own.newEmail !== to) return undefined;
    if (!isOwn && owner !== undefined) {
      return {
        subject: 'This e-mail address has an account already',
        blocks: [
          'Somebody, probably you, wanted to use this e-mail address for another account. It has an account of its own, and nothing has changed. To use it for the other account, delete this one first, or change its address.',
          { link: 'Sign in', to: link('/sign-in') },
        ],
      };
    }
    return {
      subject: 'Confirm your e-mail address',
      blocks: [
        isOwn
          ? 'Confirm that this is the e-mail address of your account. The link is valid for 24 hours.'
          : 'Confirm that your account is to have this e-mail address. Until then it keeps the present one. The link is valid for 24 hours.',
        'You must be signed in to the account. If you have never chosen its password, somebody else has made it: do not confirm the address.',
        { link: 'Confirm the address', to: link(`/confirm#token=${tokens.confirm.make(account, to)}`) },
        ignore,
      ],
    };
  },

  farewell: async () => ({
    subject: 'Your account is deleted',
    blocks: [
      'Your account is deleted, with its API keys, webhooks and all its data. This is the last mail to you.',
    ],
  }),

  invitation: async ({ to, values: { invitation: id } }, { accounts, members, tokens, link }) => {
    const invitation = await members.findInvitation(id);
    const account = invitation && (await accounts.find(invitation.account));
    if (invitation === undefined || account === undefined) return undefined;
    return {
      subject: 'You are invited to an account',
      blocks: [
        `${account.email} invites you to act for their account, as ${invitation.role}. The link is valid for ${invitationDays} days, and works once.`,
        `Sign in with ${to} to accept. If this address has no account yet, create one first, and then follow the link again.`,
        { link: 'Accept the invitation', to: link(`/invitation#token=${tokens.invitation.make(id)}`) },
        'If you do not know who this is, ignore this mail: nothing happens without the link.',
      ],
    };
  },
};

/** Whether a kind of mail is one of letters. */
export function isLetterKind(kind: string): kind is LetterKind {
  return Object.hasOwn(letterKinds, kind);
}

/** What a letter says; undefined where there is nobody to write to any more. */
export function writeLetter<K extends LetterKind>(
  letter: Letter<K>,
  deps: LetterDeps,
): Promise<Content | undefined> {
  const write = letterKinds[letter.kind] as unknown as Write<K>;
  return write(letter, deps);
}
