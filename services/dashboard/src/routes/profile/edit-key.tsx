import { Text, TextInput } from '@mantine/core';
import type { ApiKeyView } from '@sigcast/contracts';
import { useState } from 'react';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { DialogForm } from '../../ui/action-form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useMissing } from '../../ui/use-missing.ts';
import { visiblePart } from './key-facts.tsx';
import { KeyLimitInputs } from './key-limit-inputs.tsx';
import { fieldsOf, limitFieldNames, limitsOf } from './key-limits.ts';

type Props = { apiKey: ApiKeyView | undefined; onClose: () => void; onChanged: () => void };

/** Renames, narrows or widens a key. */
export function EditKey({ apiKey, onClose, onChanged }: Props) {
  return (
    <FormDialog
      opened={apiKey !== undefined}
      onClose={onClose}
      title={
        <>
          Edit <bdi>{apiKey?.name}</bdi>
        </>
      }
    >
      {apiKey !== undefined && <Form apiKey={apiKey} onClose={onClose} onChanged={onChanged} />}
    </FormDialog>
  );
}

function Form({ apiKey, onClose, onChanged }: Props & { apiKey: ApiKeyView }) {
  const session = useSession();
  const [name, setName] = useState(apiKey.name);
  const [limits, setLimits] = useState(() => fieldsOf(apiKey));
  const edit = useAction(async () => {
    const body = { name, ...limitsOf(limits) };
    await session.call('PATCH', `/account/keys/${apiKey.id}`, { body });
    onClose();
    onChanged();
  }, ['name', ...limitFieldNames]);
  return (
    <DialogForm
      intro={
        <Text size="sm">
          What you save takes effect with the next request by the key {visiblePart(apiKey)}.
        </Text>
      }
      action={edit}
      verb="Save key"
      onSubmit={() => void edit.run()}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        {...useMissing(name, edit.fields.name, 'Enter a name.')}
      />
      <KeyLimitInputs fields={limits} problems={edit.fields} onChange={setLimits} />
    </DialogForm>
  );
}
