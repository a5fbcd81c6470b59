import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';

/** A mail that the server has accepted. */
export type ReceivedMail = {
  readonly to: string;
  /** The whole message, with its header lines unfolded. */
  readonly raw: string;
  header(name: string): string | undefined;
};

/** What the server answers to a recipient or to a whole message: nothing to accept it, a code to refuse it, or silence. */
export type Answer = undefined | number | 'silence' | 'hang up';

/** An SMTP server that answers as a test says, by the recipient's address. */
export type MailServer = AsyncDisposable & {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Recipients that were named, accepted or not. */
  readonly asked: string[];
  onRecipient: (address: string) => Answer;
  onMessage: (address: string) => Answer;
  mailsTo(address: string): ReceivedMail[];
};

const refusal = (code: number) => Object.assign(new Error('no'), { responseCode: code });

export async function startMailServer(port = 0): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const server: SMTPServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    closeTimeout: 1,
    onRcptTo: ({ address }, session, done) => {
      found.asked.push(address);
      answer(found.onRecipient(address), session, done);
    },
    onData: (stream, session, done) => {
      const received = textOf(stream).then((raw) => {
        const [to] = session.envelope.rcptTo;
        const address = to?.address ?? '';
        const given = found.onMessage(address);
        if (given === undefined) mails.push(mailOf(address, raw));
        answer(given, session, done);
      });
      received.catch(() => undefined); // the client hung up
    },
  });
  const answer = (given: Answer, { id }: { id: string }, done: (error?: Error) => void) => {
    if (given === undefined) done();
    else if (typeof given === 'number') done(refusal(given));
    else if (given === 'hang up') {
      for (const connection of server.connections) {
        const { session, _socket } = connection as unknown as {
          session: { id: string };
          _socket: { destroy(): void };
        };
        if (session.id === id) _socket.destroy();
      }
    }
  };
  server.on('error', () => undefined); // a client hangs up
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: chosen } = server.server.address() as AddressInfo;
  const found: MailServer = {
    url: `smtp://127.0.0.1:${chosen}`,
    mails,
    asked: [],
    onRecipient: () => undefined,
    onMessage: () => undefined,
    mailsTo: (address) => mails.filter(({ to }) => to === address),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  return found;
}

async function textOf(stream: SMTPServerDataStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function mailOf(to: string, text: string): ReceivedMail {
  const raw = text.replace(/\r\n[ \t]+/g, ' ');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(raw.replaceAll('\r', ''))?.[1];
  return { to, raw, header };
}
