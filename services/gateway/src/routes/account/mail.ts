import type { MailSettingsView } from '@sigcast/contracts';
import { signedOut } from '../../domain/holder.ts';
import type { MailSettingsStore } from '../../domain/mail/settings.ts';
import type { AccountHandlers } from './caller.ts';

export type MailDeps = {
  readonly settings: MailSettingsStore;
  /** Whether this server sends mail. */
  readonly available: boolean;
};

/** Which mails an account's holder gets. */
export function mailHandlers({
  settings,
  available,
}: MailDeps): Pick<AccountHandlers, 'getMailSettings' | 'changeMailSettings'> {
  const viewOf = async (account: string): Promise<MailSettingsView> => {
    const recipient = await settings.recipient(account);
    // Deleted since its session was looked at.
    if (recipient === undefined) throw signedOut();
    return { available, ...recipient.settings };
  };
  return {
    getMailSettings: async ({ caller: { account } }) => ({ data: await viewOf(account.id) }),
    changeMailSettings: async ({ body, caller: { account } }) => {
      await settings.change(account.id, await body());
      return { data: await viewOf(account.id) };
    },
  };
}
