import type { IdentitySigner } from '@sigcast/http';
import { sha256Of } from '../domain/api-key.ts';
import { contentOf, mailKinds } from '../domain/mail/kinds.ts';
import type { LeasedMail } from '../domain/mail/sending.ts';
import type { Recipient } from '../domain/mail/settings.ts';
import type { Message } from './transport.ts';
import { writeMail } from './write-mail.ts';

/** For how long a recipient can unsubscribe by a mail: 180 days, in seconds. */
const unsubscribeTtlS = 180 * 86_400;

/** Returns a function that makes the message of a mail, with links below `publicUrl`. */
export function messagesOf({
  publicUrl,
  signUnsubscribe,
}: {
  readonly publicUrl: string;
  readonly signUnsubscribe: IdentitySigner;
}): (mail: LeasedMail, recipient: Recipient) => Message {
  const link = (path: string) => `${publicUrl}${path}`;
  return (mail, { email }) => {
    const { id, account, kind, createdAt } = mail;
    const token = signUnsubscribe({ subject: account, scopes: [kind], ttlS: unsubscribeTtlS });
    const unsubscribe = link(`/mail/unsubscribe?token=${token}`);
    const { subject, blocks } = contentOf(mail, link);
    const footer = [
      `You get mails about ${mailKinds[kind].about} because they are switched on in your account.`,
      { link: 'Unsubscribe', to: unsubscribe },
      { link: 'All mail settings', to: link('/profile') },
    ];
    return {
      ...writeMail({ subject, blocks: [...blocks, ...footer] }),
      name: `${createdAt.toISOString().replace(/\W/g, '')}-${kind}-${sha256Of(id).slice(0, 16)}`,
      to: email,
      date: createdAt,
      headers: {
        // RFC 8058
        'List-Unsubscribe': `<${unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        // RFC 3834
        'Auto-Submitted': 'auto-generated',
      },
    };
  };
}
