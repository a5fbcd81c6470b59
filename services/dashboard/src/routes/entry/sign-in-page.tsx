import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useSession, useSessionState } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { EmailField, PasswordField } from '../../ui/credential-fields.tsx';
import { loadAhead } from '../load-ahead.ts';
import { afterEntry } from './after-entry.ts';
import { EntryFrame } from './entry-frame.tsx';

/** E-mail address and password. */
export function SignInPage() {
  const session = useSession();
  const state = useSessionState();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useAction(async () => {
    loadAhead(new URL(afterEntry(), location.origin).pathname);
    await session.signIn({ email, password });
  }, ['email', 'password']);
  const ended = state.status === 'signed-out' && state.ended;
  return (
    <EntryFrame
      title="Sign in"
      notice={ended ? 'Your session has ended. Sign in to continue where you left off.' : undefined}
      problem={signIn.problem}
      onSubmit={() => void signIn.run()}
      footer={
        <>
          No account yet?{' '}
          <Anchor component={Link} href={`/sign-up${location.search}`}>
            Sign up
          </Anchor>
          {' · '}
          <Anchor component={Link} href="/forgot-password">
            Forgot your password?
          </Anchor>
        </>
      }
    >
      <EmailField value={email} onChange={setEmail} error={signIn.fields.email} />
      <PasswordField kind="current" value={password} onChange={setPassword} error={signIn.fields.password} />
      <Button type="submit" loading={signIn.pending} disabled={email === '' || password === ''}>
        Sign in
      </Button>
    </EntryFrame>
  );
}
