import { Button, Text } from '@mantine/core';
import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { EntryFrame } from '../entry/entry-frame.tsx';
import { keptToken } from '../entry/kept-token.ts';

const back = `?to=${encodeURIComponent('/invitation')}`;

/** Where the link of an invitation leads somebody who is not signed in. The tab keeps its token. */
export function InvitationEntryPage() {
  const [, navigate] = useLocation();
  useEffect(() => void keptToken('invitation'), []);
  return (
    <EntryFrame
      title="You are invited to an account"
      problem={undefined}
      onSubmit={() => navigate(`/sign-in${back}`)}
      footer={
        <>
          No account yet? <Link href={`/sign-up${back}`}>Sign up</Link> with the address that the mail went
          to, and then follow its link again.
        </>
      }
    >
      <Text size="sm">Sign in with the address that the mail went to, to accept the invitation.</Text>
      <Button type="submit">Sign in</Button>
    </EntryFrame>
  );
}
