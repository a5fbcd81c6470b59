import { eventually } from '@sigcast/testing';
import type { MailServer, ReceivedMail } from './mail-server.ts';

const soon = { timeoutMs: 30_000 };

/** The text of a mail without its transfer encoding (RFC 2045, 6.7). */
export function textOf({ raw }: ReceivedMail): string {
  return raw
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** The newest mail to an address with this subject, when it has come; with `count`, when so many have. */
export async function mailTo(
  server: MailServer,
  { to, subject, count = 1 }: { to: string; subject: string; count?: number },
): Promise<ReceivedMail> {
  const found = () => server.mailsTo(to).filter((mail) => mail.header('Subject') === subject);
  await eventually(() => {
    if (found().length < count) throw new Error(`${found().length} mails "${subject}" to ${to}`);
  }, soon);
  return found().at(-1) as ReceivedMail;
}

/** The page that the link of a mail leads to, and the token in its fragment. */
export function linkIn(mail: ReceivedMail): { page: string; token: string } {
  const [, page = '', token = ''] = /https?:\/\/[^/\s]+(\/[\w/-]+)#token=([\w.-]+)/.exec(textOf(mail)) ?? [];
  return { page, token };
}
