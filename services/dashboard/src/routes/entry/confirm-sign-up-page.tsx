import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { PasswordField } from '../../ui/credential-fields.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { linkToken, problemOfLink } from './link-token.ts';

/** The choice of a password for a new account, by the link of a mail. */
export function ConfirmSignUpPage() {
  const session = useSession();
  const [, navigate] = useLocation();
  const [password, setPassword] = useState('');
  const create = useAction(async () => {
    await session.confirmSignUp({ token: linkToken(), password });
    navigate('/getting-started', { replace: true });
  }, ['password']);
  return (
    <EntryFrame
      title="Create your account"
      notice="Your e-mail address is confirmed. Choose a password to finish."
      problem={problemOfLink(create)}
      onSubmit={() => void create.run()}
      footer={
        <>
          Already done?{' '}
          <Anchor component={Link} href="/sign-in">
            Sign in
          </Anchor>
        </>
      }
    >
      <PasswordField kind="new" value={password} onChange={setPassword} error={create.fields.password} />
      <Button type="submit" loading={create.pending}>
        Create account
      </Button>
    </EntryFrame>
  );
}
