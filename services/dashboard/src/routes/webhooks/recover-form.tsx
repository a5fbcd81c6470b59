import { Text, TextInput } from '@mantine/core';
import type { Webhook } from '@sigcast/client';
import { useState } from 'react';
import { useRefreshWebhook } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { DialogForm } from '../../ui/action-form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { plural } from '../../ui/format.ts';
import { localMinute } from '../../ui/local-time.ts';
import { tellDone } from '../../ui/tell-done.ts';
import { useMissing } from '../../ui/use-missing.ts';

type Props = {
  title: string;
  webhook: Webhook;
  opened: boolean;
  /** Since when something may have been missed, in Unix milliseconds, if that is known. */
  sinceMs: number | undefined;
  onClose: () => void;
};

const dayMs = 86_400_000;

/** Asks for a time, and lets the API deliver everything that was missed since then. */
export function RecoverForm(props: Props) {
  return (
    <FormDialog opened={props.opened} onClose={props.onClose} title={props.title}>
      <Form {...props} />
    </FormDialog>
  );
}

function Form({ webhook, sinceMs, onClose }: Props) {
  const session = useSession();
  const refresh = useRefreshWebhook(webhook.id);
  const [since, setSince] = useState(() => localMinute(sinceMs ?? Date.now() - dayMs));
  const recover = useAction(async () => {
    const body = { since: new Date(since) };
    const { data } = await session.ask((api) => api.webhooks.recover(webhook.id, body));
    await refresh();
    onClose();
    const due = data.retried + data.opened;
    const message =
      data.status === 'running'
        ? 'The deliveries are being sent. This page shows the progress.'
        : due === 0
          ? 'Nothing failed or was missed since then.'
          : `${plural(due, 'delivery is', 'deliveries are')} being sent again.`;
    tellDone(message);
  }, ['since']);
  return (
    <DialogForm
      intro={
        <Text size="sm">
          Sends every delivery that failed since this time again, with all retries. Also sends the events that
          happened while this webhook was disabled. Successful deliveries are not sent again. The log goes
          back 30 days.
        </Text>
      }
      action={recover}
      verb="Send again"
      onSubmit={() => void recover.run()}
      onClose={onClose}
    >
      <TextInput
        type="datetime-local"
        label="Since"
        description="In your own time zone."
        value={since}
        onChange={(event) => setSince(event.currentTarget.value)}
        {...useMissing(since, recover.fields.since, 'Choose a time.')}
      />
    </DialogForm>
  );
}
