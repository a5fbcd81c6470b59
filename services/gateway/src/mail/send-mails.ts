import { SigcastError } from '@sigcast/contracts';
import { backoffMs, keepLooking, type Logger, LogThrottle, type Resources } from '@sigcast/runtime';
import { mailKinds } from '../domain/mail/kinds.ts';
import {
  isLetter,
  isOutage,
  type LeasedMail,
  limitsOf,
  type MailOutcome,
  type Mails,
} from '../domain/mail/sending.ts';
import { type MailSettingsStore, type Recipient, usualMailSettings } from '../domain/mail/settings.ts';
import type { Throttle, ThrottleRule } from '../domain/throttle.ts';
import type { MessageOf } from './message.ts';
import { judge, type Message, mailsAtOnce, type Send } from './transport.ts';

/** Between two searches for mails, in milliseconds; after a search that found nothing, longer. */
const pauses = { firstMs: 500, maxMs: 10_000 };
/** How long one mail may take, in milliseconds. */
const sendTimeoutMs = 15_000;
/** Longer than one mail may take. */
const leaseMs = 60_000;
/** How long a mail is tried, in milliseconds. */
const triedForMs = 86_400_000;
/** Until a mail is tried again, in milliseconds. */
const retries = { firstMs: 120_000, maxMs: 3_600_000 };
/** The pause of the process while others would fail as well, in milliseconds. */
const outages = { firstMs: 1_000, maxMs: 60_000 };

export type SendMailsDeps = {
  readonly mails: Mails;
  readonly settings: MailSettingsStore;
  readonly throttle: Pick<Throttle, 'charge' | 'refund'>;
  readonly send: Send;
  readonly messageOf: MessageOf;
  readonly clock: () => number;
  readonly count: (outcome: MailOutcome) => void;
  readonly log: Logger;
};

/**
 * Sends mails that are due, until `resources` are released: some at once, each for at most 15 s.
 * @returns a function to call when a mail was added.
 */
export function sendMails(deps: SendMailsDeps, resources: Resources): () => void {
  const { mails, throttle, clock, log, count } = deps;
  const warnings = new LogThrottle();
  const warn = (err: unknown, problem: string) => {
    if (warnings.isDue(problem)) log.warn({ err }, problem);
  };

  const recipientOf = async (mail: LeasedMail): Promise<Recipient | undefined> => {
    const { to } = mail;
    if (to !== undefined) return { email: to, settings: usualMailSettings, getsMail: true };
    return isLetter(mail) ? undefined : deps.settings.recipient(mail.account);
  };

  const attempt = async (mail: LeasedMail, stopping: AbortSignal): Promise<MailOutcome | 'stopped'> => {
    const recipient = await recipientOf(mail);
    if (!recipient?.getsMail) return 'unwanted';
    if (!isLetter(mail) && !mailKinds[mail.kind].isWanted(recipient.settings)) return 'unwanted';
    let message: Awaited<ReturnType<MessageOf>>;
    try {
      message = await deps.messageOf(mail, recipient);
    } catch (err) {
      if (err instanceof SigcastError && err.retryable) throw err;
      log.error({ err, mail: mail.id }, 'mail: its text can not be made');
      return 'failed';
    }
    if (message === undefined) return 'unwanted';
    const charged: (readonly [ThrottleRule, string])[] = [];
    const refund = () => Promise.all(charged.map(([rule, subject]) => throttle.refund(rule, subject)));
    for (const [rule, subject] of limitsOf(mail, message.isConfirmed === true)) {
      try {
        await throttle.charge(rule, subject);
      } catch (err) {
        warn(err, `mail: no more than ${rule.limit} of ${rule.name}`);
        await refund();
        return 'limited';
      }
      charged.push([rule, subject]);
    }
    const outcome = await trySending(mail, message, stopping);
    if (outcome !== 'sent') await refund();
    return outcome;
  };

  const trySending = async (
    mail: LeasedMail,
    message: Message,
    stopping: AbortSignal,
  ): Promise<MailOutcome | 'stopped'> => {
    try {
      await deps.send(message, AbortSignal.any([stopping, AbortSignal.timeout(sendTimeoutMs)]));
      return 'sent';
    } catch (err) {
      if (stopping.aborted) return 'stopped';
      const outcome = judge(err);
      if (outcome === 'unreachable') warn(err, 'mail: can not be sent now, and waits');
      else log.warn({ err, mail: mail.id, tries: mail.tries }, `mail: ${outcome}`);
      if (outcome === 'refused') return outcome;
      return clock() - mail.createdAt.getTime() < triedForMs ? outcome : 'late';
    }
  };

  const handle = async (mail: LeasedMail, stopping: AbortSignal) => {
    const outcome = await attempt(mail, stopping);
    const now = clock();
    if (outcome === 'stopped') await mails.postpone(mail, new Date(now));
    else if (outcome === 'deferred' || outcome === 'unreachable') {
      await mails.postpone(mail, new Date(now + backoffMs(mail.tries, retries)));
    } else await mails.end(mail, outcome, new Date(now));
    if (outcome !== 'stopped') count(outcome);
    return outcome;
  };

  const claim = async () => {
    const claimed: LeasedMail[] = [];
    while (claimed.length < mailsAtOnce) {
      const now = clock();
      const mail = await mails.claim(new Date(now), new Date(now + leaseMs));
      if (mail === undefined) break;
      claimed.push(mail);
    }
    return claimed;
  };

  let outage = 0;
  const look = async (stopping: AbortSignal) => {
    try {
      const claimed = await claim();
      const results = await Promise.allSettled(claimed.map((mail) => handle(mail, stopping)));
      const outcomes = results.map((result) => {
        if (result.status === 'rejected') throw result.reason;
        return result.value;
      });
      const isOut = isOutage(outcomes);
      outage = isOut ? outage + 1 : 0;
      if (isOut) return { retryMs: backoffMs(outage, outages) };
      return claimed.length > 0 ? 0 : undefined;
    } catch (err) {
      warn(err, 'mail: the store can not be asked');
      return { retryMs: pauses.maxMs };
    }
  };
  return keepLooking(look, pauses, resources);
}
