import { Anchor, Button } from '@mantine/core';
import type { LinkMailView } from '@sigcast/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { send } from '../../api/http.ts';
import { useAction } from '../../api/use-action.ts';
import { EmailField } from '../../ui/credential-fields.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { carriedEmail } from './entry-link.tsx';
import { MailSent } from './mail-sent.tsx';
import { useEntry } from './use-entry.ts';

/** Asks for a mail to reset a lost password. */
export function ForgotPasswordPage() {
  const entry = useEntry();
  const [email, setEmail] = useState(carriedEmail);
  const [mailedTo, setMailedTo] = useState<string>();
  const ask = useAction(async () => {
    const body = { email };
    const { data } = await send<LinkMailView>('POST', '/account/password/reset-request', { body });
    setMailedTo(data.email);
  }, ['email']);
  if (mailedTo !== undefined) {
    return (
      <MailSent email={mailedTo} ask={ask}>
        If this address has an account, we have sent it a mail. Its link leads to the choice of a new
        password, and is valid for 24 hours.
      </MailSent>
    );
  }
  const isSilent = entry?.sends_mail === false;
  return (
    <EntryFrame
      title="Forgot your password?"
      notice={
        isSilent
          ? 'This server sends no mail. Ask whoever runs it for a new password.'
          : 'Enter the e-mail address of your account. We send you a link to choose a new password.'
      }
      problem={ask.problem}
      onSubmit={() => void ask.run()}
      footer={
        <Anchor component={Link} href="/sign-in">
          Back to sign-in
        </Anchor>
      }
    >
      <EmailField value={email} onChange={setEmail} error={ask.fields.email} />
      <Button type="submit" loading={ask.pending} disabled={isSilent}>
        Send me a link
      </Button>
    </EntryFrame>
  );
}
