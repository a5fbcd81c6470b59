import { sha256Of } from '../api-key.ts';
import type { ThrottleRule } from '../throttle.ts';
import { dayMs } from '../usage.ts';
import type { Mail } from './kinds.ts';
import { isLetterKind, type Letter } from './letters.ts';

/** A mail or a letter that this process alone sends until its lease ends. */
export type LeasedMail = (Mail | Letter) & {
  readonly lease: string;
  readonly createdAt: Date;
  /** How often it was claimed, this time included. */
  readonly tries: number;
};

/** How many mails an account gets in a day; of those about its security, as many again. */
export const mailsByAccount: ThrottleRule = { name: 'mails-of', limit: 20, windowMs: dayMs };
const securityMails: ThrottleRule = { name: 'security-mails-of', limit: 20, windowMs: dayMs };
/**
 * How many letters of a kind an address gets that anybody may ask for: 10 in the day for which the link of the last one works. So
 * whoever uses up the limit with somebody else's address leaves its owner a link that works.
 */
const lettersByAddress: ThrottleRule = { name: 'letters-to', limit: 10, windowMs: dayMs };
/** How many letters of a kind an account sends to an address: apart, because the links of other accounts are no use to its owner. */
const lettersByAccountAndAddress: ThrottleRule = { name: 'letters-from-to', limit: 10, windowMs: dayMs };
/** How many letters of a kind all accounts send to an address, so that many of them do not flood it. */
const lettersOfAccountsByAddress: ThrottleRule = { name: 'letters-from-all-to', limit: 30, windowMs: dayMs };
/**
 * How many letters of a kind are sent in a day to addresses that nobody has confirmed. Others do not count: the accounts bound their
 * number, and whoever uses up the limit keeps no holder from a new password.
 */
export const lettersOfKind: ThrottleRule = { name: 'letters-of', limit: 20_000, windowMs: dayMs };

/** Whether a mail is a letter. */
export function isLetter(mail: Mail | Letter): mail is Letter {
  return isLetterKind(mail.kind);
}

/** The limits of a mail, each with what is counted. `isConfirmed`: whether a letter goes to the confirmed address of an account. */
export function limitsOf(
  mail: Mail | Letter,
  isConfirmed: boolean,
): readonly (readonly [ThrottleRule, string])[] {
  if (!isLetter(mail)) return [[mail.kind === 'security' ? securityMails : mailsByAccount, mail.account]];
  const ofAddress = `${mail.kind} ${sha256Of(mail.to)}`;
  const limits: (readonly [ThrottleRule, string])[] =
    'account' in mail.values
      ? [
          [lettersByAccountAndAddress, `${mail.values.account} ${ofAddress}`],
          [lettersOfAccountsByAddress, ofAddress],
        ]
      : [[lettersByAddress, ofAddress]];
  return isConfirmed ? limits : [...limits, [lettersOfKind, mail.kind]];
}

/**
 * How a mail ended: `unwanted` by its recipient, `limited`, as {@link limitsOf} says, `refused` by the server, `late`: not
 * sent within a day, or `failed`: its text could not be made.
 */
export type MailEnd = 'sent' | 'unwanted' | 'limited' | 'refused' | 'late' | 'failed';

/**
 * What a try came to. `deferred`: the server asks to send this mail later. `unreachable`: the failure is not the mail's own,
 * so others would fail as well.
 */
export type MailOutcome = MailEnd | 'deferred' | 'unreachable';

/** Whether the mails that were sent at once show an outage: one alone may hang for a reason of its own. */
export function isOutage(outcomes: readonly (MailOutcome | 'stopped')[]): boolean {
  const isAnswered = outcomes.some((o) => o === 'sent' || o === 'refused' || o === 'deferred');
  return outcomes.includes('unreachable') && !isAnswered;
}

/** Mails that wait to be sent. All throw SERVICE_UNAVAILABLE when the store can't be asked. */
export type Mails = {
  /** Adds a mail or a letter, due at once. False when it was added before. */
  add(mail: Mail | Letter): Promise<boolean>;
  find(id: string): Promise<Mail | Letter | undefined>;
  /** Leases the mail that is due for longest; undefined where none is due. */
  claim(now: Date, until: Date): Promise<LeasedMail | undefined>;
  /** Ends a mail, if the lease is still held. A letter is removed. */
  end(mail: LeasedMail, end: MailEnd, at: Date): Promise<void>;
  /** Ends the lease; the mail is due again at `dueAt`. */
  postpone(mail: LeasedMail, dueAt: Date): Promise<void>;
  /** How many mails wait, 1,000 at most, and since when the oldest of those that are due first. */
  waiting(): Promise<{ readonly count: number; readonly since: Date | undefined }>;
};
