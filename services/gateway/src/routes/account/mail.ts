import type { MailSettingsView } from '@sigcast/contracts';
import { signedOut } from '../../domain/holder.ts';
import type { AccountHandlers } from './caller.ts';
import type { AccountDeps } from './deps.ts';

/** Which mails an account's holder gets. */
export function mailHandlers(
  deps: AccountDeps,
): Pick<AccountHandlers, 'getMailSettings' | 'changeMailSettings'> {
  const viewOf = async (account: string): Promise<MailSettingsView> => {
    const { settings, add } = deps.mail;
    const recipient = await settings.recipient(account);
    // Deleted since its session was looked at.
    if (recipient === undefined) throw signedOut();
    return { available: add !== undefined, ...recipient.settings };
  };
  return {
    getMailSettings: async ({ caller: { account } }) => ({ data: await viewOf(account.id) }),
    changeMailSettings: async ({ body, caller: { account, by } }) => {
      const change = await body();
      await deps.audit.add({ ...by, action: 'mail.changed' });
      await deps.mail.settings.change(account.id, change);
      return { data: await viewOf(account.id) };
    },
  };
}
