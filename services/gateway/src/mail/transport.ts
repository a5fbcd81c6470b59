import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { WrittenMail } from './write-mail.ts';

/** A mail as it is sent. */
export type Message = WrittenMail & {
  /** Part of its `Message-ID` and of its file's name: always the same for the same mail. */
  readonly name: string;
  readonly to: string;
  readonly date: Date;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Sends a mail, and resolves when the server has accepted it. Aborted by `signal`, it closes the connection; the server may have
 * accepted the mail nevertheless. @throws when the mail was not accepted; {@link judge} says why.
 */
export type Send = (message: Message, signal: AbortSignal) => Promise<void>;

/** How many mails a process sends at once. */
export const mailsAtOnce = 5;
/** In milliseconds. Sending as a whole has a limit of its own. */
const timeouts = {
  connectionTimeout: 5_000,
  greetingTimeout: 5_000,
  socketTimeout: 10_000,
  dnsTimeout: 5_000,
};

type Sender = { readonly from: string };

function fieldsOf({ name, to, subject, text, html, date, headers }: Message, { from }: Sender) {
  // The domain of the sender, without the bracket behind it.
  const domain = /@([\w.-]+)/.exec(from)?.[1] ?? 'localhost';
  return { from, to, subject, text, html, date, headers, messageId: `<${name}@${domain}>` };
}

/** Sends mails by an SMTP server, over connections that are kept while there are mails to send. `close` ends them. */
export function smtpTransport(
  url: string,
  sender: Sender,
): { readonly send: Send; readonly close: () => void } {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: mailsAtOnce,
    // Whoever claimed the mail tries again.
    maxRequeues: 0,
    // Otherwise whoever stands between could remove the offer of STARTTLS, and read the password.
    requireTLS: new URL(url).password !== '',
    disableFileAccess: true,
    disableUrlAccess: true,
    ...timeouts,
  });
  return {
    send: async (message, signal) =>
      void (await transport.sendMail({ ...fieldsOf(message, sender), signal })),
    close: () => transport.close(),
  };
}

/** Writes mails to a folder. A file appears whole, and once for a mail that is sent twice. */
export function folderTransport(dir: string, sender: Sender): Send {
  const transport = createTransport({ streamTransport: true, buffer: true });
  return async (message) => {
    const { message: content } = await transport.sendMail(fieldsOf(message, sender));
    const file = join(dir, `${message.name}.eml`);
    await mkdir(dir, { recursive: true });
    await writeFile(`${file}.new`, content as Buffer);
    await rename(`${file}.new`, file);
  };
}

/** What a failed try means: see `MailOutcome`. */
export function judge(error: unknown): 'refused' | 'deferred' | 'unreachable' {
  const { code, command, responseCode } = error as {
    code?: string;
    command?: string;
    responseCode?: number;
  };
  // The library refuses an address that has not the form of one.
  if (responseCode === undefined) return code === 'EENVELOPE' ? 'refused' : 'unreachable';
  // Of a refused sender or password the mail is not the cause. 421 ends the connection (RFC 5321, 3.8).
  const isOfMail = (command === 'RCPT TO' || command === 'DATA') && responseCode !== 421;
  if (!isOfMail) return 'unreachable';
  return responseCode >= 500 ? 'refused' : 'deferred';
}
