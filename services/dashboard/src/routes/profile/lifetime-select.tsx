import { Select } from '@mantine/core';

const lifetimes = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'never', label: 'Never' },
];

/** What is chosen unless something else is. */
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

/** What the API calls a choice. */
export function daysOf(choice: string): number | null {
  return choice === 'never' ? null : Number(choice);
}
