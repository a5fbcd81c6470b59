import { type Block, type Content, type Link, shownInstant } from './content.ts';

/** Something that the holder of an account has to know, because it may have been somebody else. */
export type SecurityNotice = {
  readonly what: keyof typeof events;
  /** RFC 3339 */
  readonly at: string;
  /** The client address that it was done from; null where no request did it. */
  readonly address: string | null;
  /** What it was done to: a key's name, a new e-mail address …; of a recovery code, how many are left. */
  readonly name?: string;
};

/**
 * Mails the holder of an account that something was done to it, at this moment. With `to`, at that address instead of the
 * account's. Never rejects: what was done is done. A mail that the store does not take now is tried again.
 */
export type TellHolder = (
  account: string,
  notice: Omit<SecurityNotice, 'at'> & { readonly to?: string },
) => Promise<void>;

type Event = {
  readonly subject: string;
  /** What happened. `{name}` stands for the name. */
  readonly happened: string;
  /** What to do when it was not the holder. */
  readonly advice: string;
  readonly link: Extract<Block, { readonly link: string }>;
};

const reset = { link: 'Reset your password', to: '/forgot-password' };
const takeBack =
  'If it was not you, somebody else may know your password: reset it now, and revoke all access.';

const events = {
  'password-changed': {
    subject: 'Your password was changed',
    happened: 'The password of your account was changed. All other sessions have ended.',
    advice: takeBack,
    link: reset,
  },
  'password-reset': {
    subject: 'Your password was reset',
    happened: 'The password of your account was reset by a link in a mail. All other sessions have ended.',
    advice:
      'If it was not you, somebody else may read your mail: secure your mailbox first, then reset the password and revoke all access.',
    link: reset,
  },
  'email-changed': {
    subject: 'The e-mail address of your account was changed',
    happened: 'The e-mail address of your account is now {name}. Mails go there from now on.',
    advice:
      'If it was not you, somebody else controls your account: tell this service’s operator at once. The password can be reset only by the new address.',
    link: { link: 'Sign in', to: '/sign-in' },
  },
  'key-leaked': {
    subject: 'A leaked API key was revoked',
    happened: 'Your API key {name} was found where others can read it, and is revoked.',
    advice: 'Create another key, and look at the requests that were made with this one.',
    link: { link: 'Your API keys', to: '/profile/api' },
  },
  'second-factor-on': {
    subject: 'Two-step sign-in is on',
    happened: 'Signing in to your account now asks for a code, too.',
    advice: takeBack,
    link: reset,
  },
  'second-factor-off': {
    subject: 'Two-step sign-in is off',
    happened: 'Signing in to your account no longer asks for a code.',
    advice: takeBack,
    link: reset,
  },
  'recovery-code-used': {
    subject: 'A recovery code was used',
    happened: 'A recovery code was used instead of a code of your app. Recovery codes left: {name}.',
    advice: takeBack,
    link: reset,
  },
  'passkey-added': {
    subject: 'A passkey was added',
    happened: 'The passkey {name} can now sign in to your account.',
    advice: 'If it was not you, remove the passkey in your profile, and change your password.',
    link: { link: 'Your passkeys', to: '/profile/security' },
  },
  'passkey-removed': {
    subject: 'A passkey was removed',
    happened: 'The passkey {name} can no longer sign in to your account.',
    advice: takeBack,
    link: reset,
  },
} satisfies Readonly<Record<string, Event>>;

/** Says what was done to an account, when and from where, and what to do if somebody else did it. */
export function securityMail({ what, at, address, name }: SecurityNotice, link: Link): Content {
  const { subject, happened, advice, link: next }: Event = events[what];
  const from = address === null ? '' : `, from the address ${address}`;
  return {
    subject,
    blocks: [
      happened.replace('{name}', () => name ?? ''),
      `It was done at ${shownInstant(at)}${from}.`,
      advice,
      { link: next.link, to: link(next.to) },
    ],
  };
}
