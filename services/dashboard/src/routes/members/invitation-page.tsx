import { Button, Text } from '@mantine/core';
import type { AccountChoice } from '@sigcast/contracts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useInvitation } from '../../api/member-queries.ts';
import { useAccount, useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { forgetToken, keptToken } from '../entry/kept-token.ts';
import styles from '../profile/profile.module.css';
import { roleWords } from './member-words.ts';

/** Where the link of an invitation leads somebody who is signed in. It waits for a click, because scanners of mail open links. */
export default function InvitationPage() {
  const session = useSession();
  const { person } = useAccount();
  const [, navigate] = useLocation();
  const [token] = useState(() => keptToken('invitation'));
  const invitation = useInvitation(token);
  const accept = useAction(async () => {
    const body = { token };
    const { data } = await session.call<AccountChoice>('POST', '/account/invitations/accept', { body });
    forgetToken('invitation');
    navigate('/home', { replace: true });
    await session.switchAccount(data.id);
  });
  return (
    <Page title="Invitation">
      <Section title="Act for another account">
        <Loaded query={invitation} lines={2}>
          {({ email, role }) => (
            <ActionForm className={styles.form} problem={accept.problem} onSubmit={() => void accept.run()}>
              <Text size="sm">
                <b>{email}</b> invites you to their account. Your role will be <b>{roleWords[role]}</b>.
              </Text>
              <Text size="sm">
                You are signed in as <b>{person.email}</b>. You keep your own account, and can switch between
                both in the menu.
              </Text>
              <Button type="submit" loading={accept.pending}>
                Accept the invitation
              </Button>
            </ActionForm>
          )}
        </Loaded>
      </Section>
    </Page>
  );
}
