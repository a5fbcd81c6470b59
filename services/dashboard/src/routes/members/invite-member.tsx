import { NativeSelect, TextInput } from '@mantine/core';
import type { AccountRole } from '@sigcast/contracts';
import { useState } from 'react';
import { useTeamChanges } from '../../api/member-queries.ts';
import { useAction } from '../../api/use-action.ts';
import { DialogForm } from '../../ui/action-form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { tellDone } from '../../ui/tell-done.ts';
import { useMissing } from '../../ui/use-missing.ts';
import { roleChoices, roleMeanings, roleOf } from './member-words.ts';

/** The dialog that invites somebody by mail. */
export function InviteMember(props: { opened: boolean; onClose: () => void }) {
  const changes = useTeamChanges();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<AccountRole>('developer');
  const invite = useAction(changes.invite, ['email', 'role']);
  const close = () => {
    invite.reset();
    setEmail('');
    props.onClose();
  };
  const submit = async () => {
    if (!(await invite.run({ email, role }))) return;
    close();
    tellDone('The invitation is on its way.');
  };
  return (
    <FormDialog opened={props.opened} onClose={close} title="Invite member">
      <DialogForm action={invite} verb="Send invitation" onSubmit={() => void submit()} onClose={close}>
        <TextInput
          label="E-mail address"
          description="The link in the mail works for 7 days, once, for this address."
          type="email"
          data-autofocus
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          {...useMissing(email, invite.fields.email, 'Enter an e-mail address.')}
        />
        <NativeSelect
          label="Role"
          description={roleMeanings[role]}
          data={roleChoices}
          value={role}
          onChange={({ currentTarget }) => setRole(roleOf(currentTarget.value))}
          error={invite.fields.role}
        />
      </DialogForm>
    </FormDialog>
  );
}
