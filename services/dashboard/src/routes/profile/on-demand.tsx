import { Button, Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Action } from '../../api/use-action.ts';
import type { AskedCode } from '../../api/use-asked-code.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { AskedCodeField } from '../../ui/code-field.tsx';
import { PasswordField } from '../../ui/credential-fields.tsx';
import styles from './profile.module.css';

/** A form that is shown when its button is pressed; its first field has the focus then, and the button again when it is closed. */
export function OnDemand(props: { verb: string; children: (close: () => void) => ReactNode }) {
  const [isOpen, setOpen] = useState<boolean>();
  if (isOpen) return <div ref={focusFirst}>{props.children(() => setOpen(false))}</div>;
  return (
    <Button variant="default" autoFocus={isOpen === false} onClick={() => setOpen(true)}>
      {props.verb}
    </Button>
  );
}

function focusFirst(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>('input:not([hidden])')?.focus();
}

/** Such a form, which changes what somebody signs in with: its fields, a code where one is asked for, and its buttons. */
export function CredentialForm(props: {
  readonly verb: string;
  readonly action: Action<[]>;
  readonly asked: AskedCode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { action } = props;
  return (
    <ActionForm
      className={styles.form}
      problem={action.problem}
      fields={action.fields}
      onSubmit={() => void action.run()}
    >
      {props.children}
      <AskedCodeField asked={props.asked} error={action.fields.code} />
      <Group>
        <Button type="submit" loading={action.pending}>
          {props.verb}
        </Button>
        <Button variant="default" onClick={props.onClose}>
          Cancel
        </Button>
      </Group>
    </ActionForm>
  );
}

/** The present password, which such a change needs. */
export function CurrentPassword(props: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
}) {
  return <PasswordField label="Current password" kind="current" {...props} />;
}
