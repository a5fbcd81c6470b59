import type { ThrottleRule } from '../throttle.ts';
import { dayMs } from '../usage.ts';
import type { Mail } from './kinds.ts';

/** A mail that this process alone sends until its lease ends. */
export type LeasedMail = Mail & {
  readonly lease: string;
  readonly createdAt: Date;
  /** How often it was claimed, this time included. */
  readonly tries: number;
};

/** How many mails an account gets in a day. */
export const mailsByAccount: ThrottleRule = { name: 'mails-of', limit: 20, windowMs: dayMs };

/**
 * How a mail ended: `unwanted` by its recipient, `limited` to so many a day for an account, `refused` by the server, `late`: not
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
  /** Adds a mail, due at once. False when it was added before. */
  add(mail: Mail): Promise<boolean>;
  find(id: string): Promise<Mail | undefined>;
  /** Leases the mail that is due for longest; undefined where none is due. */
  claim(now: Date, until: Date): Promise<LeasedMail | undefined>;
  /** Ends a mail, if the lease is still held. */
  end(mail: LeasedMail, end: MailEnd, at: Date): Promise<void>;
  /** Ends the lease; the mail is due again at `dueAt`. */
  postpone(mail: LeasedMail, dueAt: Date): Promise<void>;
  /** How many mails wait, 1,000 at most, and since when the oldest of those that are due first. */
  waiting(): Promise<{ readonly count: number; readonly since: Date | undefined }>;
};
