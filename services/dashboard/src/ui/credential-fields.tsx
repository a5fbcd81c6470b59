import { PasswordInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMissing } from './use-missing.ts';

type Field = {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What is wrong with it. */
  readonly error: ReactNode;
};

/** Whose account it is. */
export function EmailField({
  label = 'E-mail address',
  isFirst = true,
  value,
  onChange,
  error,
}: Field & {
  label?: string;
  /** Whether it is what somebody fills in first, and not an address that is yet to be the account's. */
  isFirst?: boolean;
}) {
  return (
    <TextInput
      label={label}
      type="email"
      autoComplete={isFirst ? 'username' : 'email'}
      autoFocus={isFirst && value === ''}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...useMissing(value, error, 'Enter an e-mail address.')}
    />
  );
}

/** A password: the one an account has, or a new one for it. */
export function PasswordField({
  label = 'Password',
  kind,
  focused = false,
  value,
  onChange,
  error,
}: Field & {
  label?: string;
  kind: 'current' | 'new';
  /** Whether it has the focus in a dialog that opens. */
  focused?: boolean;
}) {
  return (
    <PasswordInput
      label={label}
      description={
        kind === 'new' ? 'At least 12 characters. A few random words make a good password.' : undefined
      }
      autoComplete={`${kind}-password`}
      data-autofocus={focused || undefined}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...useMissing(value, error, kind === 'new' ? 'Choose a password.' : 'Enter your password.')}
    />
  );
}
