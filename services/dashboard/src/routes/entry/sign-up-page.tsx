import { Anchor, Button, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { EntryFrame } from './entry-frame.tsx';

/** A new account; it goes on to the first steps. */
export function SignUpPage() {
  const session = useSession();
  const [, navigate] = useLocation();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signUp = useAction(async () => {
    await session.signUp({ email, password });
    navigate('/getting-started', { replace: true });
  }, ['email', 'password']);
  return (
    <EntryFrame
      title="Create an account"
      problem={signUp.problem}
      onSubmit={() => void signUp.run()}
      footer={
        <>
          You have one already?{' '}
          <Anchor component={Link} href={`/sign-in${location.search}`}>
            Sign in
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
        error={signUp.fields.email}
      />
      <PasswordInput
        label="Password"
        description="12 characters or more; a few words are good."
        autoComplete="new-password"
        required
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={signUp.fields.password}
      />
      <Button type="submit" loading={signUp.pending} disabled={email === '' || password === ''}>
        Create account
      </Button>
    </EntryFrame>
  );
}
