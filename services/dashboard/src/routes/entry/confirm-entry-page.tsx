import { Button, Text } from '@mantine/core';
import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { EntryFrame } from './entry-frame.tsx';
import { keptToken } from './kept-token.ts';

/** Where the link that confirms an address leads somebody who is not signed in. The tab keeps its token. */
export function ConfirmEntryPage() {
  const [, navigate] = useLocation();
  useEffect(() => void keptToken('confirm'), []);
  return (
    <EntryFrame
      title="Confirm your e-mail address"
      problem={undefined}
      onSubmit={() => navigate(`/sign-in?to=${encodeURIComponent('/confirm')}`)}
      footer={
        <>
          You have never chosen a password here? Then somebody else has made the account:{' '}
          <Link href="/forgot-password">reset the password</Link>, and it is yours.
        </>
      }
    >
      <Text size="sm">Sign in to confirm that the address is yours.</Text>
      <Button type="submit">Sign in</Button>
    </EntryFrame>
  );
}
