import { Button, List, Text } from '@mantine/core';
import type { EntryView } from '@sigcast/contracts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError } from '../../api/http.ts';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { EmailField, PasswordField } from '../../ui/credential-fields.tsx';
import { count } from '../../ui/format.ts';
import { loadAhead } from '../load-ahead.ts';
import styles from './entry-frame.module.css';
import { EntryFrame } from './entry-frame.tsx';
import { carriedEmail, EntryLink } from './entry-link.tsx';
import { MailSent } from './mail-sent.tsx';
import { useEntry } from './use-entry.ts';

/** The form for a new account, which leads on to the first steps, or to a mail where the server confirms addresses. */
export function SignUpPage() {
  const session = useSession();
  const [, navigate] = useLocation();
  const entry = useEntry();
  const [email, setEmail] = useState(carriedEmail);
  const [password, setPassword] = useState('');
  const [mailedTo, setMailedTo] = useState<string>();
  const signUp = useAction(async () => {
    if (entry?.confirms_sign_ups) {
      setMailedTo(await session.askToSignUp(email));
      return;
    }
    loadAhead('/getting-started');
    await session.signUp({ email, password });
    navigate('/getting-started', { replace: true });
  }, ['email', 'password']);
  if (mailedTo !== undefined) {
    return (
      <MailSent email={mailedTo} ask={signUp}>
        We have sent you a mail. Its link leads to the choice of a password, and is valid for 24 hours.
      </MailSent>
    );
  }
  const isTaken = signUp.problem instanceof ApiError && signUp.problem.code === 'CONFLICT';
  const signInInstead = (words: string) => (
    <EntryLink to={`/sign-in${location.search}`} email={email}>
      {words}
    </EntryLink>
  );
  const takesPassword = entry?.confirms_sign_ups === false;
  return (
    <EntryFrame
      title="Create an account"
      problem={isTaken ? undefined : signUp.problem}
      onSubmit={() => void signUp.run()}
      aside={entry?.plan && <PlanOfNewAccounts plan={entry.plan} />}
      footer={<>Already have an account? {signInInstead('Sign in')}</>}
    >
      <EmailField
        value={email}
        onChange={setEmail}
        error={
          isTaken ? (
            <>This address has an account already. {signInInstead('Sign in instead')}</>
          ) : (
            signUp.fields.email
          )
        }
      />
      {takesPassword && (
        <PasswordField kind="new" value={password} onChange={setPassword} error={signUp.fields.password} />
      )}
      <Button type="submit" loading={signUp.pending} disabled={entry === undefined}>
        {takesPassword || entry === undefined ? 'Create account' : 'Send me a link'}
      </Button>
    </EntryFrame>
  );
}

function PlanOfNewAccounts({ plan }: { plan: NonNullable<EntryView['plan']> }) {
  return (
    <div className={styles.plan}>
      <Text fw={500}>Your account gets</Text>
      <List size="sm" mt="xs">
        <List.Item>every signal, over HTTP, by webhook and as a stream</List.Item>
        <List.Item>
          {count(plan.requests_per_minute)} requests a minute, {count(plan.requests_per_day)} a day
        </List.Item>
        <List.Item>
          {count(plan.webhooks)} webhooks and {count(plan.streams)} open streams
        </List.Item>
      </List>
    </div>
  );
}
