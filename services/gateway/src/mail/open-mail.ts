import { addGauges } from '@sigcast/http';
import type { Logger, Resources } from '@sigcast/runtime';
import type { Registry } from 'prom-client';
import type { readGatewayConfig } from '../config.ts';
import type { MakeDigestDeps } from '../domain/mail/make-digest.ts';
import { isLetter, type Mails } from '../domain/mail/sending.ts';
import type { Throttle } from '../domain/throttle.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { MongoApiKeys } from '../store/api-keys.ts';
import type { mongoMailSettings } from '../store/mail-settings.ts';
import { mailExpiringKeys, makeDigests } from './fill-mails.ts';
import { type MessageDeps, messagesOf } from './message.ts';
import { sendMails } from './send-mails.ts';
import { folderTransport, type Send, smtpTransport } from './transport.ts';

type Config = Pick<
  ReturnType<typeof readGatewayConfig>,
  'SMTP_URL' | 'MAIL_DIR' | 'MAIL_FROM' | 'PUBLIC_URL'
>;

export type MailDeps = Omit<MessageDeps, 'publicUrl'> & {
  readonly config: Config;
  readonly mails: Mails;
  readonly settings: ReturnType<typeof mongoMailSettings>;
  readonly throttle: Throttle;
  readonly members: MessageDeps['members'];
  readonly keys: Pick<MongoApiKeys, 'expiring'>;
  readonly list: MakeDigestDeps['list'];
  readonly metrics: Pick<GatewayMetrics, 'mail'>;
  readonly registry: Registry;
  readonly clock: () => number;
  readonly log: Logger;
};

const gauges = [
  {
    name: 'sigcast_gateway_mails_waiting',
    help: 'Mails that wait to be sent, over all processes; 1,000 at most.',
  },
  {
    name: 'sigcast_gateway_mail_wait_seconds',
    help: 'For how long the oldest mail has waited to be sent, over all processes.',
  },
];

/**
 * Starts to make and send mails, until `resources` are released.
 * @returns a function that adds a mail; undefined where the settings name neither a server nor a folder.
 */
export function openMail(deps: MailDeps, resources: Resources): Mails['add'] | undefined {
  const { config, mails, settings, clock } = deps;
  addGauges(deps.registry, gauges, async () => {
    const { count: waiting, since } = await mails.waiting();
    return [waiting, since === undefined ? 0 : (clock() - since.getTime()) / 1_000];
  });
  const { PUBLIC_URL: publicUrl } = config;
  if (publicUrl === undefined) return undefined;
  const send = openTransport(config, publicUrl, resources);
  if (send === undefined) return undefined;
  const messageOf = messagesOf({ ...deps, publicUrl });
  const count = deps.metrics.mail;
  const notify = sendMails({ ...deps, send, messageOf, count }, resources);
  const add: Mails['add'] = async (mail) => {
    // Whoever gets no mail now may have been deleted meanwhile: nothing would remove the mail.
    const isWritten = isLetter(mail) || (await settings.recipient(mail.account))?.getsMail === true;
    const isNew = isWritten && (await mails.add(mail));
    if (isNew) notify();
    return isNew;
  };
  mailExpiringKeys({ ...deps, add }, (from, until) => deps.keys.expiring(from, until), resources);
  makeDigests({ ...deps, mails: { add, find: mails.find }, digests: settings.digests }, resources);
  return add;
}

function openTransport(
  { SMTP_URL, MAIL_DIR, MAIL_FROM }: Config,
  publicUrl: string,
  resources: Resources,
): Send | undefined {
  const sender = { from: MAIL_FROM ?? `Sigcast <no-reply@${new URL(publicUrl).hostname}>` };
  if (SMTP_URL !== undefined) {
    const { send, close } = smtpTransport(SMTP_URL, sender);
    resources.defer(close);
    return send;
  }
  return MAIL_DIR === undefined ? undefined : folderTransport(MAIL_DIR, sender);
}
