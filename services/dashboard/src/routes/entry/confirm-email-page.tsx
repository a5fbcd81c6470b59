import { Anchor, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { EntryFrame, Notice } from './entry-frame.tsx';
import { linkToken } from './link-token.ts';
import { problemOfLink } from './reset-password-page.tsx';

/** Confirms an e-mail address by the link of a mail. It waits for a click, because scanners of mail open links. */
export function ConfirmEmailPage() {
  const session = useSession();
  const [confirmed, setConfirmed] = useState<string>();
  const confirm = useAction(async () => setConfirmed(await session.confirmEmail(linkToken())));
  const on = (
    <Anchor component={Link} href="/profile">
      To your profile
    </Anchor>
  );
  if (confirmed !== undefined) {
    return (
      <Notice title="Your e-mail address is confirmed" footer={on}>
        <Text>
          Your account has the address <b>{confirmed}</b>.
        </Text>
      </Notice>
    );
  }
  return (
    <EntryFrame
      title="Confirm your e-mail address"
      problem={problemOfLink(confirm)}
      onSubmit={() => void confirm.run()}
      footer={on}
    >
      <Button type="submit" loading={confirm.pending}>
        Confirm this address
      </Button>
    </EntryFrame>
  );
}
