import { ActionIcon, Button, Menu, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { UpdateWebhook, Webhook } from '@sigcast/client';
import {
  IconDots,
  IconHistory,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { queryKeys, useRefreshWebhook } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';
import { problemOf, useAction } from '../../api/use-action.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { tellDone } from '../../ui/tell-done.ts';
import { missedSince } from './missed-since.ts';
import { RecoverForm } from './recover-form.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { withWarnings } from './webhook-words.ts';

/** What can be done with a webhook. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const session = useSession();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<'edit' | 'rotate' | 'recover' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const [sinceMs, setSinceMs] = useState<number>();
  const close = () => setOpen(undefined);
  const refresh = useRefreshWebhook(webhook.id);
  const change = async (body: UpdateWebhook, done: string) => {
    const { data } = await session.ask((api) => api.webhooks.update(webhook.id, body));
    tellDone(withWarnings(done, data));
    await refresh();
  };
  const test = useAction(() =>
    orTell('No test was sent', async () => {
      const { data } = await session.ask((api) => api.webhooks.test(webhook.id));
      await refresh();
      navigate(`/webhooks/${webhook.id}?delivery=${encodeURIComponent(data.id)}`);
    }),
  );
  const pause = () =>
    orTell('Nothing was changed', () => change({ status: 'disabled' }, 'The webhook is paused.'));
  const resume = () =>
    orTell('Nothing was changed', async () => {
      const missed = missedSince(webhook, Date.now());
      await change({ status: 'enabled' }, 'The webhook is enabled.');
      setSinceMs(missed);
      setOpen('recover');
    });
  return (
    <>
      {webhook.status === 'disabled' && (
        <Button leftSection={<IconPlayerPlay size={16} />} onClick={() => void resume()}>
          Resume
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<IconSend size={16} />}
        loading={test.pending}
        onClick={() => void test.run()}
      >
        Send test
      </Button>
      <Menu position="bottom-end" width={220} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More actions">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setOpen('edit')}>
            Edit
          </Menu.Item>
          {webhook.kind === 'webhook' && (
            <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => setOpen('rotate')}>
              Rotate secret
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconHistory size={16} />}
            disabled={webhook.status !== 'enabled'}
            onClick={() => setOpen('recover')}
          >
            Recover missed events
            {webhook.status === 'disabled' && <Text size="xs">Resume the webhook first</Text>}
          </Menu.Item>
          {webhook.status !== 'disabled' && (
            <Menu.Item leftSection={<IconPlayerPause size={16} />} onClick={() => void pause()}>
              Pause
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item leftSection={<IconTrash size={16} />} onClick={() => setOpen('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <WebhookForm
        opened={open === 'edit'}
        title="Edit webhook"
        verb="Save webhook"
        webhook={webhook}
        onClose={close}
        onSubmit={({ description = '', ...fields }) =>
          change({ ...fields, description: description === '' ? null : description }, 'The webhook is saved.')
        }
      />
      <RecoverForm
        title="Recover missed events"
        webhook={webhook}
        opened={open === 'recover'}
        sinceMs={sinceMs}
        onClose={close}
      />
      <Confirm
        opened={open === 'rotate'}
        title="Rotate the signing secret?"
        verb="Rotate secret"
        onClose={close}
        work={async () => {
          const { data } = await session.ask((api) => api.webhooks.rotateSecret(webhook.id));
          setSecret(data.secret);
          tellDone('The signing secret is rotated.');
          await refresh();
        }}
      >
        Sigcast signs requests with a new secret from now on. For 24 hours the old secret signs, too, so a
        receiver with either secret accepts the requests. Give your receiver the new secret within that time.
      </Confirm>
      <Confirm
        opened={open === 'delete'}
        title="Delete this webhook?"
        verb="Delete webhook"
        onClose={close}
        work={async () => {
          await session.ask((api) => api.webhooks.delete(webhook.id));
          tellDone('The webhook is deleted.');
          navigate('/webhooks');
          await queries.invalidateQueries({ queryKey: queryKeys.webhooks, exact: true });
        }}
      >
        Sigcast sends nothing more to <b>{webhook.url}</b>, not even pending deliveries, and deletes the
        delivery log. To stop for a while, pause the webhook instead.
      </Confirm>
      <SecretOnce
        title="The new signing secret"
        label="Signing secret"
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </>
  );
}

/** Does something that has no form to show a problem in: a problem is shown as a notification. */
async function orTell(title: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    notifications.show({ color: 'red', title, message: problemOf(error) });
  }
}
