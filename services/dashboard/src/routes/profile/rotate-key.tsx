import { Select, Stack, Text } from '@mantine/core';
import type { ApiKeyView } from '@sigcast/contracts';
import { useState } from 'react';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { DialogForm } from '../../ui/action-form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { KeyFacts } from './key-facts.tsx';
import { expiryOf, usualLifetime } from './lifetime.ts';
import { LifetimeSelect } from './lifetime-select.tsx';

const overlaps = [
  { value: '0', label: 'Stops working at once' },
  { value: '1', label: 'Works for 1 more day' },
  { value: '3', label: 'Works for 3 more days' },
  { value: '7', label: 'Works for 7 more days' },
];

type Props = { apiKey: ApiKeyView | undefined; onClose: () => void; onMade: (key: string) => void };

/** Replaces a key by a new one, and says how long the old one stays valid. */
export function RotateKey({ apiKey, onClose, onMade }: Props) {
  return (
    <FormDialog
      opened={apiKey !== undefined}
      onClose={onClose}
      title={
        <>
          Rotate <bdi>{apiKey?.name}</bdi>
        </>
      }
    >
      {apiKey !== undefined && <Form apiKey={apiKey} onClose={onClose} onMade={onMade} />}
    </FormDialog>
  );
}

function Form({ apiKey, onClose, onMade }: Props & { apiKey: ApiKeyView }) {
  const session = useSession();
  const [overlap, setOverlap] = useState('1');
  const [lifetime, setLifetime] = useState(usualLifetime);
  const rotate = useAction(async () => {
    const body = { overlap_days: Number(overlap), ...expiryOf(lifetime) };
    const { data } = await session.call<{ key: string }>('POST', `/account/keys/${apiKey.id}/rotate`, {
      body,
    });
    onClose();
    onMade(data.key);
  }, ['expires_at']);
  return (
    <DialogForm
      intro={
        <Stack gap="xs">
          <Text size="sm">
            A new key with the same name, environment and limits replaces this key. The old key works for as
            long as you choose, so that programs can switch without a pause.
          </Text>
          <KeyFacts apiKey={apiKey} />
        </Stack>
      }
      action={rotate}
      verb="Rotate key"
      onSubmit={() => void rotate.run()}
      onClose={onClose}
    >
      <Select
        label="The old key"
        data={overlaps}
        value={overlap}
        onChange={(value) => setOverlap(value ?? '1')}
        allowDeselect={false}
        withScrollArea={false}
      />
      <LifetimeSelect
        label="The new key expires"
        value={lifetime}
        onChange={setLifetime}
        error={rotate.fields.expires_at}
      />
    </DialogForm>
  );
}
