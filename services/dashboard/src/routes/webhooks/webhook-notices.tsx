import { Alert } from '@mantine/core';
import type { Webhook } from '@sigcast/client';
import { IconAlertTriangle, IconPlayerPause, IconPlugConnected, IconRefresh } from '@tabler/icons-react';
import { exactTime, plural } from '../../ui/format.ts';
import { kindWords } from './webhook-words.ts';

/** What the account should know of a webhook before anything else. */
export function WebhookNotices({ webhook }: { webhook: Webhook }) {
  const { status, disabled_reason: reason, disabled_at: since, recovery } = webhook;
  const when = since === null ? '' : ` since ${exactTime(since)}`;
  return (
    <>
      {status === 'pending' && (
        <Alert color="gray" icon={<IconPlayerPause />} title="Pending">
          Sigcast sends events once your e-mail address is verified.
        </Alert>
      )}
      {status === 'disabled' && reason === 'paused' && (
        <Alert color="gray" icon={<IconPlayerPause />} title={`Paused${when}`}>
          Sigcast sends no events. After you resume the webhook, you can recover missed events of the last 30
          days.
        </Alert>
      )}
      {status === 'disabled' && reason === 'gone' && (
        <Alert color="red" icon={<IconAlertTriangle />} title={`Disabled${when}`}>
          {webhook.kind === 'webhook'
            ? 'The receiver answered 410 Gone, so Sigcast sends no more events. Change the address or fix the receiver, then'
            : `${kindWords[webhook.kind]} answered that the chat takes no more messages. Mend the chat or change the address, then`}{' '}
          resume the webhook. After that, you can recover missed events of the last 30 days.
        </Alert>
      )}
      {status === 'disabled' && reason === 'failing' && (
        <Alert color="red" icon={<IconAlertTriangle />} title={`Disabled${when}`}>
          Every delivery failed for three days, so Sigcast sends no more events. Fix the receiver, then resume
          the webhook. After that, you can recover missed events of the last 30 days, including these three
          days.
        </Alert>
      )}
      {webhook.failing_since !== null && webhook.disables_at !== null && (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title={`Failing since ${exactTime(webhook.failing_since)}`}
        >
          Every attempt has failed since then. The webhook will be disabled at{' '}
          {exactTime(webhook.disables_at)}, unless a delivery succeeds.
        </Alert>
      )}
      {status === 'enabled' && !webhook.proven && webhook.failing_since === null && (
        <Alert
          color="gray"
          icon={<IconPlugConnected />}
          title={
            webhook.kind === 'webhook'
              ? 'This address has not answered 200 yet'
              : 'No message has arrived yet'
          }
        >
          Until the first success, Sigcast sends one event at a time, with growing pauses after failures.
          Other events wait.
        </Alert>
      )}
      {recovery?.status === 'running' && (
        <Alert color="blue" icon={<IconRefresh />} title="Recovering" role="status">
          {plural(recovery.retried + recovery.opened, 'delivery', 'deliveries')} since{' '}
          {exactTime(recovery.since)} so far.
        </Alert>
      )}
    </>
  );
}
