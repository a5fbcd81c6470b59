import type { LinkMailView } from '@sigcast/contracts';
import { useSession } from '../api/session-context.tsx';
import { type Action, useAction } from '../api/use-action.ts';
import { tellDone } from './tell-done.ts';

/** Asks for the mail that confirms the account's address, or the one it is to have, and tells where it goes. */
export function useConfirmationMail(): Action<[]> {
  const session = useSession();
  return useAction(async () => {
    const { data } = await session.call<LinkMailView>('POST', '/account/email/confirm-request');
    tellDone(`A mail is on its way to ${data.email}.`);
  });
}
