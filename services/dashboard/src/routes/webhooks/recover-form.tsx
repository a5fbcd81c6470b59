import { Modal, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { Recovery, Webhook } from '@sigcast/contracts';
import { useState } from 'react';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { DialogForm } from '../../ui/action-form.tsx';
import { count } from '../../ui/format.ts';

type Props = {
  webhook: Webhook;
  opened: boolean;
  /** Since when something may have been missed, in Unix milliseconds, if that is known. */
  sinceMs: number | undefined;
  onClose: () => void;
  onDone: () => Promise<void>;
};

const dayMs = 86_400_000;

/** Asks since when, and has everything delivered that was missed. */
export function RecoverForm(props: Props) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title="Recover missed events">
      <Form {...props} />
    </Modal>
  );
}

function Form({ webhook, sinceMs, onClose, onDone }: Props) {
  const session = useSession();
  const [since, setSince] = useState(() => localMinute(sinceMs ?? Date.now() - dayMs));
  const recover = useAction(async () => {
    const body = { since: new Date(since).toISOString() };
    const { data } = await session.call<Recovery>('POST', `/v1/webhooks/${webhook.id}/recover`, { body });
    await onDone();
    onClose();
    const due = data.retried + data.opened;
    const message =
      data.status === 'running'
        ? 'Recovering goes on by itself; this page shows how far it is.'
        : due === 0
          ? 'There was nothing to recover.'
          : `${count(due)} deliveries are due again.`;
    notifications.show({ color: 'green', message });
  }, ['since']);
  return (
    <DialogForm
      intro={
        <Text size="sm">
          Everything since then that this webhook did not get is sent: failed deliveries, and events that
          happened while it was disabled. Nothing is sent twice that was delivered. The log goes 30 days back.
        </Text>
      }
      action={recover}
      verb="Recover"
      disabled={Number.isNaN(Date.parse(since))}
      onSubmit={() => void recover.run()}
      onClose={onClose}
    >
      <TextInput
        type="datetime-local"
        label="Since"
        description="In your own time zone."
        required
        value={since}
        onChange={(event) => setSince(event.currentTarget.value)}
        error={recover.fields.since}
      />
    </DialogForm>
  );
}

/** As a field of local date and time has it: 2026-11-21T08:05. */
function localMinute(atMs: number): string {
  const offsetMs = new Date(atMs).getTimezoneOffset() * 60_000;
  return new Date(atMs - offsetMs).toISOString().slice(0, 16);
}
