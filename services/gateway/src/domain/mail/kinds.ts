import type { WebhookNotice } from '@sigcast/contracts';
import type { Content, Link } from './content.ts';
import { type DigestValues, digestMail } from './digest-mail.ts';
import { type ExpiringKey, keyMail } from './key-mail.ts';
import { type SecurityNotice, securityMail } from './security-mail.ts';
import type { MailSettings } from './settings.ts';
import { webhookMail } from './webhook-mail.ts';

/** What is stored of a mail, by its kind. */
type MailValues = {
  readonly webhooks: WebhookNotice;
  readonly keys: ExpiringKey;
  readonly digest: DigestValues;
  readonly security: SecurityNotice;
};

export type MailKind = keyof MailValues;

/** A mail to an account. Its id is made of what the mail is about, so that making a mail twice makes it once. */
export type Mail<K extends MailKind = MailKind> = {
  readonly [Kind in K]: {
    readonly id: string;
    readonly account: string;
    /** The address that it goes to. Absent: the account's own when it is sent. */
    readonly to?: string;
    readonly kind: Kind;
    readonly values: MailValues[Kind];
  };
}[K];

type Kind<V> = {
  /** What it is about, behind "mails about". */
  readonly about: string;
  readonly isWanted: (settings: MailSettings) => boolean;
  /** The change of the settings by which it is switched off; null where it can't be. */
  readonly off: Partial<MailSettings> | null;
  readonly contentOf: (values: V, link: Link) => Content;
};

/** The kinds of mail. */
export const mailKinds: { readonly [K in MailKind]: Kind<MailValues[K]> } = {
  webhooks: {
    about: 'the health of webhooks',
    isWanted: ({ webhooks }) => webhooks,
    off: { webhooks: false },
    contentOf: webhookMail,
  },
  keys: {
    about: 'API keys that expire',
    isWanted: ({ keys }) => keys,
    off: { keys: false },
    contentOf: keyMail,
  },
  digest: {
    about: 'new signals',
    isWanted: ({ digest }) => digest !== null,
    off: { digest: null },
    contentOf: digestMail,
  },
  security: {
    about: 'the security of your account',
    isWanted: () => true,
    off: null,
    contentOf: securityMail,
  },
};

/** Whether a text names a kind of mail. */
export function isMailKind(text: string | undefined): text is MailKind {
  return text !== undefined && Object.hasOwn(mailKinds, text);
}

/** What a mail says. */
export function contentOf<K extends MailKind>(
  { kind, values }: { readonly kind: K; readonly values: MailValues[K] },
  link: Link,
): Content {
  return mailKinds[kind].contentOf(values, link);
}
