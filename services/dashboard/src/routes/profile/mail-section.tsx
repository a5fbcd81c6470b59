import { Alert, Button, Checkbox, Select, Textarea } from '@mantine/core';
import type { ChangeMailSettings, MailSettingsView } from '@sigcast/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys, useMailSettings } from '../../api/queries.ts';
import { useAccount, useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { tellDone } from '../../ui/tell-done.ts';
import { type DigestChoice, digestChoices, digestOf, filterText } from './digest-filter.ts';
import styles from './profile.module.css';

/** Which mails the account gets. */
export function MailSection() {
  const { email } = useAccount();
  const settings = useMailSettings();
  return (
    <Section
      title="Mail"
      description={`Mails go to ${email}. Each mail has a link that switches off its kind.`}
    >
      <Loaded query={settings}>{(stored) => <MailForm stored={stored} />}</Loaded>
    </Section>
  );
}

function MailForm({ stored }: { stored: MailSettingsView }) {
  const session = useSession();
  const { email_verified: isVerified } = useAccount();
  const silence = silenceOf(stored.available, isVerified);
  const queries = useQueryClient();
  const [webhooks, setWebhooks] = useState(stored.webhooks);
  const [keys, setKeys] = useState(stored.keys);
  const [every, setEvery] = useState<DigestChoice>(stored.digest?.every ?? 'off');
  const [filter, setFilter] = useState(filterText(stored.digest?.filter ?? null));
  const change = useAction(async () => {
    const body: ChangeMailSettings = { webhooks, keys, digest: digestOf(every, filter) };
    const { data } = await session.call<MailSettingsView>('PATCH', '/account/mail', { body });
    queries.setQueryData(queryKeys.mail, data);
  });
  const submit = async () => {
    if (await change.run()) tellDone('Your mail settings are saved.');
  };
  return (
    <ActionForm
      className={styles.form}
      intro={silence !== undefined && <Alert color="yellow">{silence}</Alert>}
      problem={change.problem}
      onSubmit={() => void submit()}
    >
      <Checkbox
        label="Webhooks"
        description="When a webhook has failed for a day, is disabled, or delivers again."
        checked={webhooks}
        onChange={({ currentTarget }) => setWebhooks(currentTarget.checked)}
      />
      <Checkbox
        label="API keys"
        description="7 days and 1 day before a key expires."
        checked={keys}
        onChange={({ currentTarget }) => setKeys(currentTarget.checked)}
      />
      <Select
        label="Digest of new signals"
        data={digestChoices}
        value={every}
        onChange={(value) => setEvery(value ?? 'off')}
        allowDeselect={false}
        withScrollArea={false}
      />
      {every !== 'off' && (
        <Textarea
          label="Filter"
          description="Conditions as JSON. Empty: all signals."
          placeholder='{"token.chain":{"eq":"solana"}}'
          value={filter}
          onChange={({ currentTarget }) => setFilter(currentTarget.value)}
          autosize
          minRows={2}
          spellCheck={false}
        />
      )}
      <Button type="submit" loading={change.pending}>
        Save mail settings
      </Button>
    </ActionForm>
  );
}

/** Why no mail comes; undefined where mails come. */
function silenceOf(isAvailable: boolean, isVerified: boolean): string | undefined {
  if (!isAvailable) return 'This server sends no mail now. Your settings apply once it does.';
  if (!isVerified)
    return 'No mail comes until this server’s operator knows that the e-mail address is yours.';
  return undefined;
}
