import type { WebhookNotice } from '@sigcast/contracts';
import type { Content, Link } from './content.ts';
import { type DigestValues, digestMail } from './digest-mail.ts';
import { type ExpiringKey, keyMail } from './key-mail.ts';
import type { MailSettings } from './settings.ts';
import { webhookMail } from './webhook-mail.ts';

/** What is stored of a mail, by its kind. */
type MailValues = {
  readonly webhooks: WebhookNotice;
  readonly keys: ExpiringKey;
  readonly digest: DigestValues;
};

export type MailKind = keyof MailValues;

/** A mail to an account. Its id is made of what the mail is about, so that making a mail twice makes it once. */
export type Mail<K extends MailKind = MailKind> = {
  readonly [Kind in K]: {
    readonly id: string;
    readonly account: string;
    readonly kind: Kind;
    readonly values: MailValues[Kind];
  };
}[K];

type Kind<V> = {
  /** What it is about, behind "mails about". */
  readonly about: string;
  readonly isWanted: (settings: MailSettings) => boolean;
  /** The change of the settings by which it is switched off. */
  readonly off: Partial<MailSettings>;
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
