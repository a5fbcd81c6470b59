import type { MailSettingsView } from '@sigcast/contracts';
import { signedOut } from '../../domain/holder.ts';
import type { AccountHandlers } from './caller.ts';
import type { AccountDeps } from './deps.ts';

/** Which mails an account's holder gets. */
export function mailHandlers(
  deps: AccountDeps,
): Pick<AccountHandlers, 'getMailSettings' | 'changeMailSettings'> {
  return {
    getMailSettings: async ({ caller: { account } }) => ({ data: await mailView(deps, account.id) }),
    changeMailSettings: async ({ body, caller: { account, by } }) => {
      const change = await body();
      await deps.audit.add({ ...by, action: 'mail.changed' });
      await deps.mail.settings.change(account.id, change);
      return { data: await mailView(deps, account.id) };
    },
  };
}

/** The mail settings of an account. @throws {SigcastError} UNAUTHORIZED when it is deleted since its session was looked at. */
export async function mailView(
  { mail: { settings, add } }: Pick<AccountDeps, 'mail'>,
  account: string,
): Promise<MailSettingsView> {
  const recipient = await settings.recipient(account);
  if (recipient === undefined) throw signedOut();
  return { available: add !== undefined, ...recipient.settings };
}
