import { Alert } from '@mantine/core';
import type { Webhook } from '@sigcast/contracts';
import { IconAlertTriangle, IconPlayerPause, IconPlugConnected, IconRefresh } from '@tabler/icons-react';
import { count, exactTime } from '../../ui/format.ts';

/** What a subscription's holder should know before all else. */
export function WebhookNotices({ webhook }: { webhook: Webhook }) {
  const { status, disabled_reason: reason, disabled_at: since, recovery } = webhook;
  const when = since === null ? '' : ` since ${exactTime(since)}`;
  return (
    <>
      {status === 'disabled' && reason === 'paused' && (
        <Alert color="gray" icon={<IconPlayerPause />} title={`Paused${when}`}>
          Nothing is sent. Once you resume it, you can recover what happened meanwhile, 30 days back.
        </Alert>
      )}
      {status === 'disabled' && reason === 'gone' && (
        <Alert color="red" icon={<IconAlertTriangle />} title={`Disabled${when}`}>
          The receiver answered 410 Gone, so nothing more is sent. Change the address or mend the receiver and
          resume the webhook; then you can recover what it missed, 30 days back.
        </Alert>
      )}
      {status === 'disabled' && reason === 'failing' && (
        <Alert color="red" icon={<IconAlertTriangle />} title={`Disabled${when}`}>
          Every delivery failed for three days, so nothing more is sent. Mend the receiver and resume the
          webhook; then you can recover what it missed, 30 days back and those three days included.
        </Alert>
      )}
      {webhook.failing_since !== null && webhook.disables_at !== null && (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title={`Failing since ${exactTime(webhook.failing_since)}`}
        >
          Every delivery has failed since then. The webhook will be disabled at{' '}
          {exactTime(webhook.disables_at)}, unless one succeeds.
        </Alert>
      )}
      {status === 'enabled' && !webhook.proven && (
        <Alert color="gray" icon={<IconPlugConnected />} title="This address has yet to answer">
          Until it answers 200 once, it gets one event at a time, with growing pauses while it fails. The
          others wait.
        </Alert>
      )}
      {recovery?.status === 'running' && (
        <Alert color="blue" icon={<IconRefresh />} title="Recovering" role="status">
          {count(recovery.retried + recovery.opened)} deliveries since {exactTime(recovery.since)} are due
          again so far.
        </Alert>
      )}
    </>
  );
}
