import { Button, Group, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import type { Action } from '../api/use-action.ts';
import styles from './action-form.module.css';
import { Problem } from './problem.tsx';

/**
 * A form whose fields the API checks. A problem that belongs to no field is shown above them. Empty fields that
 * say so themselves (`useMissing`) are not submitted. The first field that is wrong gets the focus.
 */
export function ActionForm(props: {
  /** What is to be read before anything else. */
  intro?: ReactNode;
  problem: unknown;
  /** What is wrong with each field. */
  fields?: Action<[]>['fields'];
  onSubmit: () => void;
  className?: string | undefined;
  children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const { fields } = props;
  useEffect(() => {
    if (fields !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [fields]);
  return (
    <form
      ref={form}
      className={props.className}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const inputs = [...event.currentTarget.querySelectorAll('input')];
        const missing = inputs.filter(
          (input) =>
            input.validity.valueMissing && !input.dispatchEvent(new Event('invalid', { cancelable: true })),
        );
        if (missing.length === 0) props.onSubmit();
        else missing[0]?.focus();
      }}
    >
      <Stack>
        {props.intro}
        <Problem problem={props.problem} />
        {props.children}
      </Stack>
    </form>
  );
}

/** A form in a dialog, with a button to cancel. Its buttons stay in view. */
export function DialogForm(props: {
  intro?: ReactNode;
  action: Pick<Action<[]>, 'problem' | 'pending' | 'fields'>;
  /** The button's words: what it does, not "OK". */
  verb: string;
  color?: string;
  disabled?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children?: ReactNode;
}) {
  const { action, color } = props;
  return (
    <ActionForm intro={props.intro} problem={action.problem} fields={action.fields} onSubmit={props.onSubmit}>
      {props.children}
      <Group justify="flex-end" className={styles.footer ?? ''}>
        <Button variant="default" onClick={props.onClose}>
          Cancel
        </Button>
        <Button
          type="submit"
          loading={action.pending}
          disabled={props.disabled ?? false}
          {...(color !== undefined && { color })}
        >
          {props.verb}
        </Button>
      </Group>
    </ActionForm>
  );
}
