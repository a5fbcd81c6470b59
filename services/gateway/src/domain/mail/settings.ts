import type { ChangeMailSettings, MailSettingsView } from '@sigcast/contracts';
import { dayMs } from '../usage.ts';

/** Which mails an account gets, and its digest. */
export type MailSettings = Omit<MailSettingsView, 'available'>;
export type Digest = NonNullable<MailSettings['digest']>;

/** The settings of an account that has changed none. */
export const usualMailSettings: MailSettings = { webhooks: true, keys: true, digest: null };

/** The length of a digest's period, in milliseconds. */
export const periodMs = { daily: dayMs, weekly: 7 * dayMs } as const satisfies Record<
  Digest['every'],
  number
>;

/** How long after its end a digest is made, in milliseconds: a signal is stored some time after it was created. */
export const digestDelayMs = 5 * 60_000;

/** When the digest that begins at `since` is made. */
export function digestDueAt(since: Date, every: Digest['every']): Date {
  return new Date(since.getTime() + periodMs[every] + digestDelayMs);
}

/** Who gets a mail. */
export type Recipient = {
  readonly email: string;
  readonly settings: MailSettings;
  /** False while the account is suspended, or nobody has verified that the address is its holder's. */
  readonly getsMail: boolean;
};

/** The mail settings of accounts. All throw SERVICE_UNAVAILABLE when the store can't be asked. */
export type MailSettingsStore = {
  /** Undefined when there is no such account. */
  recipient(account: string): Promise<Recipient | undefined>;
  /** Changes the members that `change` has. A digest goes on where the last one ended. */
  change(account: string, change: ChangeMailSettings): Promise<void>;
};
