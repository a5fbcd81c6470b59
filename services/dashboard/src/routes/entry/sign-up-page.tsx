import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { EmailField, PasswordField } from '../../ui/credential-fields.tsx';
import { loadAhead } from '../load-ahead.ts';
import { EntryFrame } from './entry-frame.tsx';

/** The form for a new account, which leads on to the first steps. */
export function SignUpPage() {
  const session = useSession();
  const [, navigate] = useLocation();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signUp = useAction(async () => {
    loadAhead('/getting-started');
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
          Already have an account?{' '}
          <Anchor component={Link} href={`/sign-in${location.search}`}>
            Sign in
          </Anchor>
        </>
      }
    >
      <EmailField value={email} onChange={setEmail} error={signUp.fields.email} />
      <PasswordField kind="new" value={password} onChange={setPassword} error={signUp.fields.password} />
      <Button type="submit" loading={signUp.pending} disabled={email === '' || password === ''}>
        Create account
      </Button>
    </EntryFrame>
  );
}
