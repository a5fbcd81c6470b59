import { Alert, Anchor, Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { useAskedCode } from '../../api/use-asked-code.ts';
import { AskedCodeField } from '../../ui/code-field.tsx';
import { PasswordField } from '../../ui/credential-fields.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { linkHas, linkToken, problemOfLink } from './link-token.ts';

/** The choice of a new password, by the link of a mail. */
export function ResetPasswordPage() {
  const session = useSession();
  const [, navigate] = useLocation();
  const [password, setPassword] = useState('');
  const isUnconfirmed = linkHas('unconfirmed');
  const [revoke, setRevoke] = useState(false);
  const asked = useAskedCode();
  const reset = useAction(async () => {
    const body = { token: linkToken(), password, revoke_access: revoke };
    if (!(await asked.withCode((given) => session.resetPassword({ ...body, ...given })))) return;
    navigate('/home', { replace: true });
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
      {isUnconfirmed && (
        <Alert color="yellow">
          Your e-mail address was never confirmed, so somebody else may have made this account. Passkeys,
          two-step sign-in, members and invitations are removed, too.
        </Alert>
      )}
      <Checkbox
        label="Revoke all API keys and pause all webhooks"
        description={
          !isUnconfirmed && 'If somebody else may know the old password. Passkeys are removed, too.'
        }
        disabled={isUnconfirmed}
        // Then the gateway does it by itself, unless the address was confirmed since the mail.
        checked={isUnconfirmed || revoke}
        onChange={({ currentTarget }) => setRevoke(currentTarget.checked)}
      />
      <AskedCodeField asked={asked} error={reset.fields.code} />
      <Button type="submit" loading={reset.pending}>
        Set new password
      </Button>
    </EntryFrame>
  );
}
