import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useMailSettings } from '../../api/queries.ts';
import { useAccount, useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { useAskedCode } from '../../api/use-asked-code.ts';
import { EmailField } from '../../ui/credential-fields.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { tellDone } from '../../ui/tell-done.ts';
import { useConfirmationMail } from '../../ui/use-confirmation-mail.ts';
import { CredentialForm, CurrentPassword, OnDemand } from './on-demand.tsx';

/** The account's e-mail address: whether it is confirmed, and how it changes. */
export function EmailSection() {
  const isAvailable = useMailSettings().data?.available ?? false;
  return (
    <Section
      title="E-mail address"
      description={
        isAvailable
          ? 'You sign in with this address and get mail there. A new address takes effect when you open the link that we send to it.'
          : 'You sign in with this address. This server sends no mail, so only its operator can change the address.'
      }
    >
      {isAvailable && (
        <>
          <Unconfirmed />
          <OnDemand verb="Change e-mail address">{(close) => <EmailForm onClose={close} />}</OnDemand>
        </>
      )}
    </Section>
  );
}

function EmailForm({ onClose }: { onClose: () => void }) {
  const session = useSession();
  const { new_email: newEmail } = useAccount();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const asked = useAskedCode();
  const change = useAction(async () => {
    const body = { email, current_password: password };
    const isAsked = await asked.withCode(async (given) => {
      await session.call('POST', '/account/email', { body: { ...body, ...given } });
    });
    if (!isAsked) return;
    await session.refreshAccount();
    onClose();
    tellDone(`A mail is on its way to ${email}.`);
  }, ['email', 'current_password', 'code']);
  return (
    <CredentialForm verb="Change e-mail address" action={change} asked={asked} onClose={onClose}>
      <EmailField
        label={newEmail === null ? 'New e-mail address' : 'Another new e-mail address'}
        isFirst={false}
        value={email}
        onChange={setEmail}
        error={change.fields.email}
      />
      <CurrentPassword value={password} onChange={setPassword} error={change.fields.current_password} />
    </CredentialForm>
  );
}

/** Says which address is not confirmed yet, and sends the mail again. */
function Unconfirmed() {
  const { email, email_verified: isVerified, new_email: newEmail } = useAccount();
  const ask = useConfirmationMail();
  if (isVerified && newEmail === null) return null;
  return (
    <Alert color="yellow" mb="md">
      <Text size="sm" mb="xs">
        {newEmail === null
          ? `${email} is not confirmed yet.`
          : `Your account keeps ${email} until you have followed the link in the mail to ${newEmail}.`}
      </Text>
      <Problem problem={ask.problem} />
      <Group>
        <Button variant="default" size="xs" loading={ask.pending} onClick={() => void ask.run()}>
          {newEmail === null ? 'Send a confirmation mail' : 'Send the mail again'}
        </Button>
      </Group>
    </Alert>
  );
}
