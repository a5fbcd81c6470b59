import { Anchor, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { DialogForm } from '../../ui/action-form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useMissing } from '../../ui/use-missing.ts';
import { KeyLimitInputs } from './key-limit-inputs.tsx';
import { limitFieldNames, limitsOf, noLimits } from './key-limits.ts';
import { expiryOf, usualLifetime } from './lifetime.ts';
import { LifetimeSelect } from './lifetime-select.tsx';

type Props = {
  opened: boolean;
  /** The name of somebody's first key: all else waits behind a button. */
  firstName?: string;
  onClose: () => void;
  onMade: (key: string) => void;
};

/** Asks for the name, environment, lifetime and limits of a new key, and creates it. */
export function CreateKey({ opened, onClose, ...rest }: Props) {
  return (
    <FormDialog opened={opened} onClose={onClose} title="Create an API key">
      <Form onClose={onClose} {...rest} />
    </FormDialog>
  );
}

function Form({ firstName, onClose, onMade }: Omit<Props, 'opened'>) {
  const session = useSession();
  const [name, setName] = useState(firstName ?? '');
  const [isShort, setShort] = useState(firstName !== undefined);
  const [environment, setEnvironment] = useState('production');
  const [lifetime, setLifetime] = useState(usualLifetime);
  const [limits, setLimits] = useState(noLimits);
  const create = useAction(async () => {
    const body = { name, environment, ...expiryOf(lifetime), ...limitsOf(limits) };
    const { data } = await session.call<{ key: string }>('POST', '/account/keys', { body });
    onClose();
    onMade(data.key);
  }, ['name', 'environment', 'expires_at', ...limitFieldNames]);
  return (
    <DialogForm action={create} verb="Create API key" onSubmit={() => void create.run()} onClose={onClose}>
      <TextInput
        label="Name"
        description="What you use the key for."
        placeholder="Trading bot"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        {...useMissing(name, create.fields.name, 'Enter a name.')}
      />
      {isShort ? (
        <Anchor component="button" type="button" size="sm" w="fit-content" onClick={() => setShort(false)}>
          More options
        </Anchor>
      ) : (
        <>
          <TextInput
            label="Environment"
            description="Lower-case letters, digits and hyphens."
            required
            value={environment}
            onChange={(event) => setEnvironment(event.currentTarget.value)}
            error={create.fields.environment}
          />
          <LifetimeSelect
            label="Expires"
            value={lifetime}
            onChange={setLifetime}
            error={create.fields.expires_at}
          />
          <KeyLimitInputs fields={limits} problems={create.fields} onChange={setLimits} />
        </>
      )}
    </DialogForm>
  );
}
