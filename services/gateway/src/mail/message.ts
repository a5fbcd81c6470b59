import type { IdentitySigner } from '@sigcast/http';
import { sha256Of } from '../domain/api-key.ts';
import type { Block, Content } from '../domain/mail/content.ts';
import { contentOf, mailKinds } from '../domain/mail/kinds.ts';
import { type LetterDeps, writeLetter } from '../domain/mail/letters.ts';
import { isLetter, type LeasedMail } from '../domain/mail/sending.ts';
import type { Recipient } from '../domain/mail/settings.ts';
import type { Message } from './transport.ts';
import { writeMail } from './write-mail.ts';

/** For how long a recipient can unsubscribe by a mail: 180 days, in seconds. */
const unsubscribeTtlS = 180 * 86_400;

export type MessageDeps = Omit<LetterDeps, 'link'> & {
  readonly publicUrl: string;
  readonly signUnsubscribe: IdentitySigner;
};

/**
 * Makes the message of a mail to its recipient; undefined where there is nobody to write to any more. `isConfirmed`: see
 * {@link Content}.
 */
export type MessageOf = (
  mail: LeasedMail,
  recipient: Recipient,
) => Promise<(Message & Pick<Content, 'isConfirmed'>) | undefined>;

type Parts = Content & { readonly headers?: Readonly<Record<string, string>> };

/** Returns a function that makes the message of a mail, with links below `publicUrl`. */
export function messagesOf({ publicUrl, signUnsubscribe, ...deps }: MessageDeps): MessageOf {
  const link = (path: string) => `${publicUrl}${path}`;

  const partsOf = async (mail: LeasedMail): Promise<Parts | undefined> => {
    if (isLetter(mail)) return writeLetter(mail, { ...deps, link });
    const { subject, blocks } = contentOf(mail, link);
    const { about, off } = mailKinds[mail.kind];
    if (off === null) return { subject, blocks };
    const token = signUnsubscribe({ subject: mail.account, scopes: [mail.kind], ttlS: unsubscribeTtlS });
    const unsubscribe = link(`/mail/unsubscribe?token=${token}`);
    const footer: readonly Block[] = [
      `You get mails about ${about} because they are switched on in your account.`,
      { link: 'Unsubscribe', to: unsubscribe },
      { link: 'All mail settings', to: link('/profile') },
    ];
    return {
      subject,
      blocks: [...blocks, ...footer],
      headers: {
        // RFC 8058
        'List-Unsubscribe': `<${unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    };
  };

  return async (mail, { email }) => {
    const parts = await partsOf(mail);
    if (parts === undefined) return undefined;
    const { id, kind, createdAt } = mail;
    return {
      ...writeMail(parts),
      ...(parts.isConfirmed !== undefined && { isConfirmed: parts.isConfirmed }),
      name: `${createdAt.toISOString().replace(/\W/g, '')}-${kind}-${sha256Of(id).slice(0, 16)}`,
      to: email,
      date: createdAt,
      // RFC 3834
      headers: { ...parts.headers, 'Auto-Submitted': 'auto-generated' },
    };
  };
}
