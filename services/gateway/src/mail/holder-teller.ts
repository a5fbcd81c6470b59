import { type Logger, newId } from '@sigcast/runtime';
import type { TellHolder } from '../domain/mail/security-mail.ts';
import type { Mails } from '../domain/mail/sending.ts';

/** Tells holders what was done to their accounts, by mail. Does nothing where no mail is sent. */
export function holderTeller({
  add,
  clock,
  log,
}: {
  readonly add: Mails['add'] | undefined;
  readonly clock: () => number;
  readonly log: Logger;
}): TellHolder {
  return async (account, { to, ...notice }) => {
    const at = new Date(clock()).toISOString();
    const mail = {
      account,
      ...(to !== undefined && { to }),
      kind: 'security',
      values: { ...notice, at },
    } as const;
    try {
      await add?.({ id: newId('mail'), ...mail });
    } catch (err) {
      log.warn({ err, account }, `mail: the holder is not told: ${notice.what}`);
    }
  };
}
