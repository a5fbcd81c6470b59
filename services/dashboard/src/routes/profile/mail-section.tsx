import { Alert, Button, Checkbox, Select } from '@mantine/core';
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
import { FilterBuilder } from '../filters/filter-builder.tsx';
import type { Filter } from '../filters/filter-rows.ts';
import styles from './profile.module.css';

type DigestChoice = NonNullable<MailSettingsView['digest']>['every'] | 'off';

/** How often a digest comes. */
const digestChoices: { readonly value: DigestChoice; readonly label: string }[] = [
  { value: 'off', label: 'Off' },
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
];

/** Which mails the account gets. */
export function MailSection() {
  const { email } = useAccount();
  const settings = useMailSettings();
  return (
    <Section
      title="Mail"
      description={`Mail goes to ${email}. Each message has a link to turn off its kind; messages about security always come.`}
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
  const [filter, setFilter] = useState<Filter | null | undefined>(stored.digest?.filter ?? null);
  const change = useAction(async () => {
    const digest = every === 'off' ? null : { every, filter: filter ?? null };
    const body: ChangeMailSettings = { webhooks, keys, digest };
    const { data } = await session.call<MailSettingsView>('PATCH', '/account/mail', { body });
    queries.setQueryData(queryKeys.mail, data);
  });
  const submit = async () => {
    if (await change.run()) tellDone('Your mail settings are saved.');
  };
  return (
    <ActionForm
      className={styles.wideForm}
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
        maw="24rem"
        data={digestChoices}
        value={every}
        onChange={(value) => setEvery(value ?? 'off')}
        allowDeselect={false}
        withScrollArea={false}
      />
      {every !== 'off' && (
        <FilterBuilder
          initial={stored.digest?.filter ?? null}
          description="Only signals that meet all conditions are in the digest. Without conditions, all are."
          events={['signal.new']}
          types={[]}
          onChange={setFilter}
        />
      )}
      <Button
        type="submit"
        variant="default"
        disabled={every !== 'off' && filter === undefined}
        loading={change.pending}
      >
        Save mail settings
      </Button>
    </ActionForm>
  );
}

/** Why no mail comes; undefined where mails come. */
function silenceOf(isAvailable: boolean, isVerified: boolean): string | undefined {
  if (!isAvailable) return 'This server sends no mail now. Your settings apply once it does.';
  if (!isVerified) return 'No mail comes until you have confirmed that the e-mail address is yours.';
  return undefined;
}
