import { Select, TextInput } from '@mantine/core';
import { useMissing } from '../../ui/use-missing.ts';
import { daysToChoose, type Lifetime, onDate, usualLifetime } from './lifetime.ts';

const lifetimes = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: onDate, label: 'On a date' },
  { value: 'never', label: 'Never' },
];

/** How long a key lives. */
export function LifetimeSelect(props: {
  label: string;
  value: Lifetime;
  onChange: (value: Lifetime) => void;
  error?: string | undefined;
}) {
  const { label, value, onChange } = props;
  const missing = useMissing(value.date, props.error, 'Choose a day.');
  return (
    <>
      <Select
        label={label}
        data={lifetimes}
        value={value.choice}
        onChange={(choice) => onChange({ ...value, choice: choice ?? usualLifetime.choice })}
        allowDeselect={false}
        withScrollArea={false}
      />
      {value.choice === onDate && (
        <TextInput
          label="Last day"
          description="At most two years ahead."
          type="date"
          {...daysToChoose(Date.now())}
          value={value.date}
          onChange={(event) => onChange({ ...value, date: event.currentTarget.value })}
          {...missing}
        />
      )}
    </>
  );
}
