import { Button, Modal, Text, TextInput, VisuallyHidden } from '@mantine/core';
import type { FactorsView, PasskeyView } from '@sigcast/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { addPasskey } from '../../../api/passkeys.ts';
import { queryKeys } from '../../../api/queries.ts';
import { useSession } from '../../../api/session-context.tsx';
import { useAction } from '../../../api/use-action.ts';
import { useAskedCode } from '../../../api/use-asked-code.ts';
import { DialogForm } from '../../../ui/action-form.tsx';
import { AskedCodeField } from '../../../ui/code-field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Instant } from '../../../ui/instant.tsx';
import { Name } from '../../../ui/name.tsx';
import { Section } from '../../../ui/page.tsx';
import { Table } from '../../../ui/table.tsx';
import { tellDone } from '../../../ui/tell-done.ts';
import { useMissing } from '../../../ui/use-missing.ts';
import { programWords } from '../audit-words.ts';
import { CurrentPassword } from './second-factor-section.tsx';

/** The account's passkeys. */
export function PasskeySection(props: {
  passkeys: FactorsView['passkeys'];
  /** The host name that passkeys belong to; null where there is none. */
  host: string | null;
}) {
  const queries = useQueryClient();
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<PasskeyView>();
  const close = () => {
    setAdding(false);
    setRemoving(undefined);
  };
  const done = async (words: string) => {
    close();
    await queries.invalidateQueries({ queryKey: queryKeys.factors });
    tellDone(words);
  };
  const canAdd = props.host !== null && 'PublicKeyCredential' in window;
  return (
    <Section
      title="Passkeys"
      description="Sign in with your fingerprint, face or PIN instead of a password and a code."
      actions={
        canAdd && (
          <Button variant="default" onClick={() => setAdding(true)}>
            Add passkey
          </Button>
        )
      }
      flush
    >
      {props.passkeys.length === 0 ? (
        <Text size="sm" c="dimmed">
          No passkeys yet. {canAdd ? '' : whyNot(props.host)}
        </Text>
      ) : (
        <Table
          label="Passkeys"
          rows={props.passkeys}
          keyOf={({ id }) => id}
          inset
          columns={[
            {
              head: 'Name',
              cell: ({ name }) => (
                <b>
                  <Name>{name}</Name>
                </b>
              ),
            },
            { head: 'Added', medium: 'Added:', cell: ({ created_at: at }) => <Instant at={at} /> },
            {
              head: 'Last used',
              medium: 'Last used:',
              cell: ({ last_used_at: at }) => (at === null ? 'Never' : <Instant at={at} />),
            },
            {
              head: <VisuallyHidden>Actions</VisuallyHidden>,
              cell: (passkey) => (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Remove ${passkey.name}`}
                  onClick={() => setRemoving(passkey)}
                >
                  Remove
                </Button>
              ),
            },
          ]}
        />
      )}
      <FormDialog opened={adding} onClose={close} title="Add passkey">
        <AddForm onClose={close} onDone={() => void done('The passkey is added.')} />
      </FormDialog>
      <Modal opened={removing !== undefined} onClose={close} title={`Remove ${removing?.name ?? ''}`}>
        {removing && (
          <RemoveForm
            passkey={removing}
            onClose={close}
            onDone={() => void done('The passkey is removed.')}
          />
        )}
      </Modal>
    </Section>
  );
}

function whyNot(host: string | null): string {
  return host === null
    ? 'They are not available at this address.'
    : 'This browser does not support them here. Update it, or try another one.';
}

type Form = { readonly onClose: () => void; readonly onDone: () => void };

function AddForm({ onClose, onDone }: Form) {
  const session = useSession();
  const [name, setName] = useState(() => programWords(navigator.userAgent));
  const [password, setPassword] = useState('');
  const asked = useAskedCode();
  const add = useAction(async () => {
    if (await asked.withCode((given) => addPasskey(session, { name, password, ...given }))) onDone();
  }, ['name', 'current_password', 'code']);
  return (
    <DialogForm action={add} verb="Add passkey" onSubmit={() => void add.run()} onClose={onClose}>
      <TextInput
        label="Name"
        data-autofocus
        description="To tell your passkeys apart."
        maxLength={64}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        {...useMissing(name, add.fields.name, 'Enter a name.')}
      />
      <CurrentPassword value={password} onChange={setPassword} error={add.fields.current_password} />
      <AskedCodeField asked={asked} error={add.fields.code} />
    </DialogForm>
  );
}

function RemoveForm({ passkey, onClose, onDone }: Form & { passkey: PasskeyView }) {
  const session = useSession();
  const [password, setPassword] = useState('');
  const remove = useAction(async () => {
    const body = { current_password: password };
    await session.call('DELETE', `/account/passkeys/${passkey.id}`, { body });
    onDone();
  }, ['current_password']);
  return (
    <DialogForm
      intro={
        <Text size="sm">
          The passkey no longer signs in. Your device shows it until you delete it there, too.
        </Text>
      }
      action={remove}
      verb="Remove passkey"
      color="red"
      onSubmit={() => void remove.run()}
      onClose={onClose}
    >
      <CurrentPassword value={password} onChange={setPassword} error={remove.fields.current_password} />
    </DialogForm>
  );
}
