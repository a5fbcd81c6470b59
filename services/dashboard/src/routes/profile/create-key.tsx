import { Alert, Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { daysOf, lifetimes } from './lifetimes.ts';

type Props = { opened: boolean; onClose: () => void; onMade: (key: string) => void };

/** Asks what a new key is for, and makes it. */
export function CreateKey({ opened, onClose, onMade }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Create an API key">
      <Form onClose={onClose} onMade={onMade} />
    </Modal>
  );
}

function Form({ onClose, onMade }: Omit<Props, 'opened'>) {
  const session = useSession();
  const [name, setName] = useState('');
  const [environment, setEnvironment] = useState('production');
  const [lifetime, setLifetime] = useState('365');
  const create = useAction(async () => {
    const body = { name, environment, expires_in_days: daysOf(lifetime) };
    const { data } = await session.call<{ key: string }>('POST', '/account/keys', { body });
    onClose();
    onMade(data.key);
  }, ['name', 'environment']);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void create.run();
      }}
    >
      <Stack>
        {create.problem !== undefined && (
          <Alert color="red" role="alert">
            {create.problem}
          </Alert>
        )}
        <TextInput
          label="Name"
          description="What it is used for."
          placeholder="Trading bot"
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={create.fields.name}
        />
        <TextInput
          label="Environment"
          description="Lower-case letters, digits and hyphens."
          required
          value={environment}
          onChange={(event) => setEnvironment(event.currentTarget.value)}
          error={create.fields.environment}
        />
        <Select
          label="Expires"
          data={lifetimes}
          value={lifetime}
          onChange={(value) => setLifetime(value ?? '365')}
          allowDeselect={false}
          withScrollArea={false}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.pending} disabled={name.trim() === ''}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
