import { Button } from '@mantine/core';
import type { CreatedWebhook } from '@sigcast/contracts';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { stored, useWebhooks } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookTable } from './webhook-table.tsx';

/** The account's subscriptions, and how they are doing. */
export default function WebhooksPage() {
  const webhooks = useWebhooks();
  const session = useSession();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<CreatedWebhook>();
  return (
    <Page
      title="Webhooks"
      description="Signed notifications to addresses of yours, within a second of what happened."
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
          Add webhook
        </Button>
      }
    >
      <Section title="Subscriptions" flush>
        <Loaded query={webhooks}>{(list) => <WebhookTable webhooks={list} />}</Loaded>
      </Section>
      <WebhookForm
        opened={creating}
        title="Add a webhook"
        verb="Add webhook"
        onClose={() => setCreating(false)}
        onSubmit={async (body) => {
          const { data } = await session.call<CreatedWebhook>('POST', '/v1/webhooks', { body });
          setMade(data);
          void queries.invalidateQueries({ queryKey: stored.webhooks });
        }}
      />
      <SecretOnce
        title="Your webhook’s signing secret"
        label="Signing secret"
        secret={made?.secret}
        onClose={() => {
          setMade(undefined);
          navigate(`/webhooks/${made?.id}`);
        }}
      />
    </Page>
  );
}
