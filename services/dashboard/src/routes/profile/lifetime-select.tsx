import { Select } from '@mantine/core';

const lifetimes = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'never', label: 'Never' },
];

/** The choice at the beginning. */
export const usualLifetime = '365';

/** How long a key lives. */
export function LifetimeSelect(props: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <Select
      label={props.label}
      data={lifetimes}
      value={props.value}
      onChange={(value) => props.onChange(value ?? usualLifetime)}
      allowDeselect={false}
      withScrollArea={false}
    />
  );
}

/** A choice as the API takes it. */
export function daysOf(choice: string): number | null {
  return choice === 'never' ? null : Number(choice);
}
