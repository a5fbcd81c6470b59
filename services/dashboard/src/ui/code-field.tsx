import { TextInput } from '@mantine/core';
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
