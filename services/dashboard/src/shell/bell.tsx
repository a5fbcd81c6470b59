import { ActionIcon, Indicator, Menu, Text } from '@mantine/core';
import type { Webhook } from '@sigcast/client';
import { IconBell } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { useWebhooks } from '../api/queries.ts';
import { nameOf } from '../routes/webhooks/webhook-words.ts';
import { Instant } from '../ui/instant.tsx';

/** What failed, in one place: webhooks that fail, and those that Sigcast has disabled. */
export function Bell() {
  const { data = [] } = useWebhooks();
  const [, navigate] = useLocation();
  const failing = data.flatMap((webhook) => {
    const trouble = troubleOf(webhook);
    return trouble === undefined ? [] : [{ webhook, ...trouble }];
  });
  const label = failing.length === 0 ? 'Nothing has failed' : `${failing.length} failing`;
  return (
    <Menu position="bottom-end" width={320}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Notices: ${label}`} title={label}>
          <Indicator color="red" size={7} disabled={failing.length === 0}>
            <IconBell size={18} stroke={1.6} aria-hidden />
          </Indicator>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {failing.length === 0 && (
          <Text size="sm" c="dimmed" p="sm">
            Nothing has failed. Webhooks that fail or were disabled are shown here.
          </Text>
        )}
        {failing.map(({ webhook, word, since, lasts }) => (
          <Menu.Item key={webhook.id} onClick={() => navigate(`/webhooks/${webhook.id}`)}>
            <Text size="sm" maw={280} truncate title={webhook.url}>
              {nameOf(webhook)}
            </Text>
            <Text size="xs" c="var(--loss)">
              {word} <Instant at={since} lasts={lasts} />
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

type Trouble = { readonly word: string; readonly since: string; readonly lasts: boolean };

/** What is wrong with a webhook, and since when. `lasts`: the words go on with how long. */
function troubleOf(webhook: Webhook): Trouble | undefined {
  const { status, disabled_reason: reason, disabled_at: disabledAt, failing_since: failingSince } = webhook;
  if (status === 'disabled' && reason !== 'paused' && disabledAt !== null) {
    return {
      word: reason === 'gone' ? 'Disabled: it answered 410,' : 'Disabled after three days of failures,',
      since: disabledAt,
      lasts: false,
    };
  }
  return failingSince === null ? undefined : { word: 'Failing for', since: failingSince, lasts: true };
}
