import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { FactorsView } from '@sigcast/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys } from '../../../api/queries.ts';
import { useSession } from '../../../api/session-context.tsx';
import { useAction } from '../../../api/use-action.ts';
import { DialogForm } from '../../../ui/action-form.tsx';
import { CodeField } from '../../../ui/code-field.tsx';
import { LabelledCopyable } from '../../../ui/copyable.tsx';
import { PasswordField } from '../../../ui/credential-fields.tsx';
import { Instant } from '../../../ui/instant.tsx';
import { Section } from '../../../ui/page.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { tellDone } from '../../../ui/tell-done.ts';
import { QrCode } from './qr-code.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

type Dialog = 'on' | 'off' | 'codes';

/** Switches the second factor on and off, and makes new recovery codes. */
export function SecondFactorSection({ totp }: Pick<FactorsView, 'totp'>) {
  const queries = useQueryClient();
  const [open, setOpen] = useState<Dialog>();
  const [codes, setCodes] = useState<readonly string[]>();
  const close = () => setOpen(undefined);
  const show = (made: readonly string[]) => {
    close();
    setCodes(made);
  };
  const done = async (words: string) => {
    close();
    setCodes(undefined);
    await queries.invalidateQueries({ queryKey: queryKeys.factors });
    tellDone(words);
  };
  return (
    <Section
      title="Two-step sign-in"
      description="Signing in with your password also asks for a code from an app on your phone. Passkeys need no code."
    >
      {totp === null ? (
        <Group>
          <Tag tone="neutral">Off</Tag>
          <Button onClick={() => setOpen('on')}>Switch on two-step sign-in</Button>
        </Group>
      ) : (
        <Stack align="flex-start">
          <Group gap="xs">
            <Tag tone="good">On</Tag>
            <Text size="sm">
              since <Instant at={totp.since} />. {totp.recovery_codes_left} of 10 recovery codes left.
            </Text>
          </Group>
          <Group>
            <Button variant="default" onClick={() => setOpen('codes')}>
              Create recovery codes
            </Button>
            <Button variant="default" onClick={() => setOpen('off')}>
              Switch off
            </Button>
          </Group>
        </Stack>
      )}
      <Modal opened={open === 'on'} onClose={close} title="Switch on two-step sign-in">
        <SwitchOn onClose={close} onMade={show} />
      </Modal>
      <Modal opened={open === 'codes'} onClose={close} title="Create recovery codes">
        <NewCodes onClose={close} onMade={show} />
      </Modal>
      <Modal opened={open === 'off'} onClose={close} title="Switch off two-step sign-in">
        <SwitchOff onClose={close} onDone={() => void done('Two-step sign-in is off.')} />
      </Modal>
      <RecoveryCodes
        codes={codes}
        onClose={() => void done(totp === null ? 'Two-step sign-in is on.' : 'You have new recovery codes.')}
      />
    </Section>
  );
}

type Making = { readonly onClose: () => void; readonly onMade: (codes: readonly string[]) => void };
type Codes = { readonly recovery_codes: readonly string[] };

/** The password first, then the code of the app that has taken the secret. */
function SwitchOn({ onClose, onMade }: Making) {
  const session = useSession();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [begun, setBegun] = useState<{ secret: string; uri: string }>();
  const begin = useAction(async () => {
    const body = { current_password: password };
    setBegun((await session.call<{ secret: string; uri: string }>('POST', '/account/totp', { body })).data);
  }, ['current_password']);
  const confirm = useAction(async () => {
    const { data } = await session.call<Codes>('POST', '/account/totp/confirm', { body: { code } });
    onMade(data.recovery_codes);
  }, ['code']);
  if (begun === undefined) {
    return (
      <DialogForm action={begin} verb="Continue" onSubmit={() => void begin.run()} onClose={onClose}>
        <CurrentPassword value={password} onChange={setPassword} error={begin.fields.current_password} />
      </DialogForm>
    );
  }
  return (
    <DialogForm
      intro={
        <Stack>
          <Text size="sm">Scan this with an authenticator app, or type the secret into the app.</Text>
          <QrCode text={begun.uri} label="QR code of the secret" />
          <LabelledCopyable label="Secret" text={begun.secret} />
        </Stack>
      }
      action={confirm}
      verb="Switch on"
      onSubmit={() => void confirm.run()}
      onClose={onClose}
    >
      <CodeField
        autoFocus
        description="Six digits that the app shows now."
        value={code}
        onChange={setCode}
        error={confirm.fields.code}
      />
    </DialogForm>
  );
}

function NewCodes({ onClose, onMade }: Making) {
  const session = useSession();
  return (
    <WithBoth
      verb="Create recovery codes"
      words="Your older codes will stop working."
      onClose={onClose}
      work={async (body) => {
        const { data } = await session.call<Codes>('POST', '/account/totp/recovery-codes', { body });
        onMade(data.recovery_codes);
      }}
    />
  );
}

function SwitchOff({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const session = useSession();
  return (
    <WithBoth
      verb="Switch off"
      words="Your password alone will be enough to sign in."
      onClose={onClose}
      work={async (body) => {
        await session.call('DELETE', '/account/totp', { body });
        onDone();
      }}
    />
  );
}

/** What needs the password and a code. */
function WithBoth(props: {
  verb: string;
  words: string;
  onClose: () => void;
  work: (body: { current_password: string; code: string }) => Promise<void>;
}) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const action = useAction(
    () => props.work({ current_password: password, code }),
    ['current_password', 'code'],
  );
  return (
    <DialogForm
      intro={<Text size="sm">{props.words}</Text>}
      action={action}
      verb={props.verb}
      onSubmit={() => void action.run()}
      onClose={props.onClose}
    >
      <CurrentPassword value={password} onChange={setPassword} error={action.fields.current_password} />
      <CodeField value={code} onChange={setCode} error={action.fields.code} />
    </DialogForm>
  );
}

/** The password of the account. */
export function CurrentPassword(props: {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}) {
  return <PasswordField label="Current password" kind="current" focused {...props} />;
}
