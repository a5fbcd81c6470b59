import { Anchor, Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { asksForCode } from '../../api/asks-for-code.ts';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { CodeField } from '../../ui/code-field.tsx';
import { PasswordField } from '../../ui/credential-fields.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { linkToken } from './link-token.ts';

/** The choice of a new password, by the link of a mail. */
export function ResetPasswordPage() {
  const session = useSession();
  const [, navigate] = useLocation();
  const [password, setPassword] = useState('');
  const [revoke, setRevoke] = useState(false);
  const [code, setCode] = useState<string>();
  const reset = useAction(async () => {
    const body = { token: linkToken(), password, revoke_access: revoke, ...(code !== undefined && { code }) };
    try {
      await session.resetPassword(body);
    } catch (error) {
      if (!asksForCode(error, code)) throw error;
      setCode('');
      return;
    }
    navigate('/', { replace: true });
  }, ['password', 'code']);
  return (
    <EntryFrame
      title="Choose a new password"
      notice="It ends every session of your account, on all devices."
      problem={problemOfLink(reset)}
      onSubmit={() => void reset.run()}
      footer={
        <Anchor component={Link} href="/forgot-password">
          Ask for another link
        </Anchor>
      }
    >
      <PasswordField
        label="New password"
        kind="new"
        value={password}
        onChange={setPassword}
        error={reset.fields.password}
      />
      <Checkbox
        label="Revoke all API keys and pause all webhooks"
        description="If somebody else may know the old password."
        checked={revoke}
        onChange={({ currentTarget }) => setRevoke(currentTarget.checked)}
      />
      {code !== undefined && (
        <CodeField autoFocus value={code} onChange={setCode} error={reset.fields.code} />
      )}
      <Button type="submit" loading={reset.pending} disabled={password === '' || code === ''}>
        Set new password
      </Button>
    </EntryFrame>
  );
}

/** What went wrong. No field shows the token. */
export function problemOfLink({
  problem,
  fields,
}: {
  readonly problem: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
}): string | undefined {
  return fields.token === undefined
    ? problem
    : 'This link does not work, or no longer: it may be too old, or was used already.';
}
