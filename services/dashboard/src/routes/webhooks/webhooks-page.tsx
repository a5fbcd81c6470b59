import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { useWebhooks } from '../../api/queries.ts';
import { ForRole } from '../../ui/for-role.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { useCreating } from '../../ui/use-creating.ts';
import { AddWebhook } from './add-webhook.tsx';
import { WebhookTable } from './webhook-table.tsx';

/** The account's webhooks, each with its health. */
export default function WebhooksPage() {
  const webhooks = useWebhooks();
  const [, navigate] = useLocation();
  const [creating, setCreating] = useCreating();
  return (
    <Page
      title="Webhooks"
      description="Sigcast sends signed events to your addresses, within a second of what happened."
      actions={
        <ForRole needs="developer">
          <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
            Add webhook
          </Button>
        </ForRole>
      }
    >
      <Section title="All webhooks" flush>
        <Loaded query={webhooks} rows={4}>
          {(list) => <WebhookTable webhooks={list} />}
        </Loaded>
      </Section>
      <AddWebhook
        opened={creating}
        onClose={() => setCreating(false)}
        onStored={({ id }) => navigate(`/webhooks/${id}`)}
      />
    </Page>
  );
}
