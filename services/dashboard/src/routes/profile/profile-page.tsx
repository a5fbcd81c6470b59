import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useAccount, useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { useAskedCode } from '../../api/use-asked-code.ts';
import { LabelledCopyable } from '../../ui/copyable.tsx';
import { PasswordField } from '../../ui/credential-fields.tsx';
import { Facts } from '../../ui/facts.tsx';
import { capitalized, count, exactTime } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { Page, Section, Settings } from '../../ui/page.tsx';
import { tellDone } from '../../ui/tell-done.ts';
import { DataSection } from './data-section.tsx';
import { EmailSection } from './email-section.tsx';
import { MailSection } from './mail-section.tsx';
import { CredentialForm, CurrentPassword, OnDemand } from './on-demand.tsx';
import { SettingsTabs } from './settings-tabs.tsx';

/** The account, its mails and its password. */
export default function ProfilePage() {
  const { id, email, person, plan, created_at: createdAt } = useAccount();
  const isOwn = id === person.id;
  return (
    <Page title="Profile" tabs={<SettingsTabs />}>
      <Settings>
        <Section title="Account">
          <Facts
            facts={[
              ['E-mail address', <Name key="email">{email}</Name>],
              ['Created', exactTime(createdAt)],
            ]}
          />
          <LabelledCopyable text={id} label="Account id" />
        </Section>
        <Section title="Plan" description="The limits of this account.">
          <Facts
            facts={[
              ['Plan', capitalized(plan.name)],
              ['Requests a minute', count(plan.requests_per_minute)],
              ['Requests a day', count(plan.requests_per_day)],
              ['Webhooks', count(plan.webhooks)],
              ['Open streams', count(plan.streams)],
            ]}
          />
        </Section>
        {isOwn ? (
          <>
            <EmailSection />
            <PasswordSection />
            <MailSection />
            <DataSection />
          </>
        ) : (
          <Section title="Yourself">
            You are {person.email}, and act for another account. Switch to your own account to change your
            address, your password and your mails.
          </Section>
        )}
      </Settings>
    </Page>
  );
}

function PasswordSection() {
  return (
    <Section
      title="Password"
      description="A new password signs out every other session. API keys and webhooks keep working unless you revoke them."
    >
      <OnDemand verb="Change password">{(close) => <PasswordForm onClose={close} />}</OnDemand>
    </Section>
  );
}

function PasswordForm({ onClose }: { onClose: () => void }) {
  const session = useSession();
  const { email } = useAccount();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [revoke, setRevoke] = useState(false);
  const asked = useAskedCode();
  const change = useAction(async () => {
    const body = { current_password: current, new_password: next, revoke_access: revoke };
    if (!(await asked.withCode((given) => session.changePassword({ ...body, ...given })))) return;
    onClose();
    tellDone('Your password is changed.');
  }, ['current_password', 'new_password', 'code']);
  return (
    <CredentialForm verb="Change password" action={change} asked={asked} onClose={onClose}>
      {/* So that a password manager knows the account of the password. */}
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      <CurrentPassword value={current} onChange={setCurrent} error={change.fields.current_password} />
      <PasswordField
        label="New password"
        kind="new"
        value={next}
        onChange={setNext}
        error={change.fields.new_password}
      />
      <Checkbox
        label="Revoke all API keys and pause all webhooks"
        description="If somebody else may know the current password."
        checked={revoke}
        onChange={({ currentTarget }) => setRevoke(currentTarget.checked)}
      />
    </CredentialForm>
  );
}
