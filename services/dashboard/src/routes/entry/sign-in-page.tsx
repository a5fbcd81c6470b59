import { Anchor, Button, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useSession, useSessionState } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { EntryFrame } from './entry-frame.tsx';

/** E-mail address and password. */
export function SignInPage() {
  const session = useSession();
  const state = useSessionState();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useAction(() => session.signIn({ email, password }), ['email', 'password']);
  const ended = state.status === 'signed-out' && state.ended;
  return (
    <EntryFrame
      title="Sign in"
      notice={ended ? 'Your session has ended. Sign in to go on where you were.' : undefined}
      problem={signIn.problem}
      onSubmit={() => void signIn.run()}
      footer={
        <>
          No account yet?{' '}
          <Anchor component={Link} href={`/sign-up${location.search}`}>
            Sign up
          </Anchor>
        </>
      }
    >
      <TextInput
        label="E-mail address"
        type="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={signIn.fields.email}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={signIn.fields.password}
      />
      <Button type="submit" loading={signIn.pending} disabled={email === '' || password === ''}>
        Sign in
      </Button>
    </EntryFrame>
  );
}
