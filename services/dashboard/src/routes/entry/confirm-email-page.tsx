import { Anchor, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAccount, useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { Page, Section } from '../../ui/page.tsx';
import styles from '../profile/profile.module.css';
import { forgetToken, keptToken } from './kept-token.ts';
import { problemOfLink } from './link-token.ts';

/**
 * Confirms an e-mail address of whoever is signed in, by the link of a mail. It waits for a click, because scanners of mail open
 * links.
 */
export default function ConfirmEmailPage() {
  const session = useSession();
  const { person } = useAccount();
  const [token] = useState(() => keptToken('confirm'));
  const [confirmed, setConfirmed] = useState<string>();
  const confirm = useAction(async () => {
    setConfirmed(await session.confirmEmail(token));
    forgetToken('confirm');
  });
  return (
    <Page title="Confirm your e-mail address">
      <Section title="E-mail address">
        {confirmed === undefined ? (
          <ActionForm
            className={styles.form}
            problem={problemOfLink(confirm)}
            onSubmit={() => void confirm.run()}
          >
            <Text size="sm">
              You are signed in as <b>{person.email}</b>.
            </Text>
            <Button type="submit" loading={confirm.pending}>
              Confirm this address
            </Button>
          </ActionForm>
        ) : (
          <>
            <Text mb="md">
              <b>{confirmed}</b> is confirmed.
            </Text>
            <Anchor component={Link} href="/profile">
              To your profile
            </Anchor>
          </>
        )}
      </Section>
    </Page>
  );
}
