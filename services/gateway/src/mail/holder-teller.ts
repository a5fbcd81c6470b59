import { type Logger, newId, pause } from '@sigcast/runtime';
import type { Mail } from '../domain/mail/kinds.ts';
import type { TellHolder } from '../domain/mail/security-mail.ts';
import type { Mails } from '../domain/mail/sending.ts';

/** Until a mail that the store did not take is tried again, in milliseconds: longer than a store needs to choose a new primary. */
const retryAfterMs = [1_000, 5_000, 30_000, 120_000, 600_000];

/**
 * Tells holders what was done to their accounts, by mail. Does nothing where no mail is sent. A mail that the store does not take
 * is tried again in the background until the process stops; its id keeps it from being added twice.
 */
export function holderTeller({
  add,
  clock,
  log,
  waits = retryAfterMs,
}: {
  readonly add: Mails['add'] | undefined;
  readonly clock: () => number;
  readonly log: Logger;
  readonly waits?: readonly number[];
}): TellHolder {
  const addLater = async (mail: Mail) => {
    for (const ms of waits) {
      await pause(ms);
      try {
        return void (await add?.(mail));
      } catch {
        // The next try, or the line below, follows.
      }
    }
    log.error(
      { account: mail.account, mail: mail.id },
      'mail: the holder is not told: the store did not take the mail',
    );
  };
  return async (account, { to, ...notice }) => {
    const at = new Date(clock()).toISOString();
    const mail: Mail = {
      id: newId('mail'),
      account,
      ...(to !== undefined && { to }),
      kind: 'security',
      values: { ...notice, at },
    };
    try {
      await add?.(mail);
    } catch (err) {
      log.warn({ err, account, mail: mail.id }, `mail: the holder is told later: ${notice.what}`);
      void addLater(mail);
    }
  };
}
