import { TextInput } from '@mantine/core';
import type { AskedCode } from '../api/use-asked-code.ts';
import { useMissing } from './use-missing.ts';

/** A code of the second factor: of the authenticator app, or a recovery code. */
export function CodeField(props: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What is wrong with it. */
  readonly error: string | undefined;
  readonly label?: string;
  readonly description?: string;
  readonly autoFocus?: boolean;
}) {
  const { label = 'Code', description = 'Six digits of your authenticator app, or a recovery code.' } = props;
  return (
    <TextInput
      label={label}
      description={description}
      autoComplete="one-time-code"
      autoFocus={props.autoFocus ?? false}
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      {...useMissing(props.value, props.error, 'Enter the code.')}
    />
  );
}

/** The field of a code, where the service has asked for one. */
export function AskedCodeField(props: { readonly asked: AskedCode; readonly error: string | undefined }) {
  const { asked, error } = props;
  if (asked.code === undefined) return null;
  return <CodeField autoFocus value={asked.code} onChange={asked.setCode} error={error} />;
}
