import { Button, Group, Modal, Text } from '@mantine/core';
import type { AccountExport } from '@sigcast/contracts';
import { useState } from 'react';
import { useAccount, useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { useAskedCode } from '../../api/use-asked-code.ts';
import { DialogForm } from '../../ui/action-form.tsx';
import { AskedCodeField } from '../../ui/code-field.tsx';
import { PasswordField } from '../../ui/credential-fields.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { saveAs } from '../../ui/save-as.ts';

/** All that is stored about the account, to take along or to delete. */
export function DataSection() {
  const session = useSession();
  const [isAsked, setAsked] = useState(false);
  const save = useAction(async () => {
    const { data } = await session.call<AccountExport>('GET', '/account/export');
    const text = JSON.stringify(data, null, 2);
    saveAs(new Blob([text], { type: 'application/json' }), 'sigcast-account.json');
  });
  return (
    <Section
      title="Your data"
      description="Everything stored about your account: names of keys (never the keys), members, usage, requests, webhooks, backtests and activity."
    >
      <Problem problem={save.problem} />
      <Group>
        <Button variant="default" loading={save.pending} onClick={() => void save.run()}>
          Export your data
        </Button>
        <Button variant="light" color="red" onClick={() => setAsked(true)}>
          Delete your account
        </Button>
      </Group>
      <DeleteAccount opened={isAsked} onClose={() => setAsked(false)} />
    </Section>
  );
}

function DeleteAccount({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const session = useSession();
  const { email } = useAccount();
  const [password, setPassword] = useState('');
  const asked = useAskedCode();
  const remove = useAction(async () => {
    await asked.withCode((given) => session.deleteAccount({ current_password: password, ...given }));
  }, ['current_password', 'code']);
  const close = () => {
    remove.reset();
    setPassword('');
    asked.setCode(undefined);
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title="Delete your account?">
      <DialogForm
        intro={
          <Text size="sm">
            The account <b>{email}</b> is deleted at once and for good, with its API keys, webhooks, usage and
            log. Programs that use its keys stop working.
          </Text>
        }
        action={remove}
        verb="Delete account"
        color="red"
        onSubmit={() => void remove.run()}
        onClose={close}
      >
        <PasswordField
          label="Current password"
          kind="current"
          focused
          value={password}
          onChange={setPassword}
          error={remove.fields.current_password}
        />
        <AskedCodeField asked={asked} error={remove.fields.code} />
      </DialogForm>
    </Modal>
  );
}
