import { Anchor, Button, Divider } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useState } from 'react';
import { signInByPasskey } from '../../api/passkeys.ts';
import { useSession, useSessionState } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { useAskedCode } from '../../api/use-asked-code.ts';
import { CodeField } from '../../ui/code-field.tsx';
import { EmailField, PasswordField } from '../../ui/credential-fields.tsx';
import { loadAhead } from '../load-ahead.ts';
import { afterEntry } from './after-entry.ts';
import styles from './entry-frame.module.css';
import { EntryFrame } from './entry-frame.tsx';
import { carriedEmail, EntryLink } from './entry-link.tsx';

/** E-mail address and password, and a code where the account asks for one; or a passkey. */
export function SignInPage() {
  const session = useSession();
  const state = useSessionState();
  const [email, setEmail] = useState(carriedEmail);
  const [password, setPassword] = useState('');
  const { code, setCode, withCode } = useAskedCode();
  const enter = async (work: () => Promise<void>) => {
    loadAhead(new URL(afterEntry(), location.origin).pathname);
    await work();
  };
  const signIn = useAction(
    () =>
      enter(async () => {
        await withCode((given) => session.signIn({ email, password, ...given }));
      }),
    ['email', 'password', 'code'],
  );
  const byPasskey = useAction(() => enter(() => signInByPasskey(session)));
  const ended = state.status === 'signed-out' && state.ended;
  if (code !== undefined) {
    return (
      <EntryFrame
        title="Enter a code"
        problem={signIn.problem}
        onSubmit={() => void signIn.run()}
        footer={
          <Anchor component="button" type="button" onClick={() => setCode(undefined)}>
            Back
          </Anchor>
        }
      >
        <CodeField autoFocus value={code} onChange={setCode} error={signIn.fields.code} />
        <Button type="submit" loading={signIn.pending}>
          Sign in
        </Button>
      </EntryFrame>
    );
  }
  return (
    <EntryFrame
      title="Sign in"
      notice={ended ? 'Your session has ended. Sign in to continue where you left off.' : undefined}
      problem={signIn.problem ?? byPasskey.problem}
      onSubmit={() => void signIn.run()}
      footer={
        <>
          No account yet?{' '}
          <EntryLink to={`/sign-up${location.search}`} email={email}>
            Sign up
          </EntryLink>
        </>
      }
    >
      <EmailField value={email} onChange={setEmail} error={signIn.fields.email} />
      <div className={styles.password}>
        <PasswordField
          kind="current"
          value={password}
          onChange={setPassword}
          error={signIn.fields.password}
        />
        <EntryLink to="/forgot-password" email={email}>
          Forgot your password?
        </EntryLink>
      </div>
      <Button type="submit" loading={signIn.pending}>
        Sign in
      </Button>
      {'PublicKeyCredential' in window && (
        <>
          <Divider label="or" />
          <Button
            variant="default"
            leftSection={<IconFingerprint size={16} />}
            loading={byPasskey.pending}
            onClick={() => void byPasskey.run()}
          >
            Use a passkey
          </Button>
        </>
      )}
    </EntryFrame>
  );
}
