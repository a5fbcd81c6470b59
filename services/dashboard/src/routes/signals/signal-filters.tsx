import { Group, MultiSelect } from '@mantine/core';
import type { SignalStatus, SignalType } from '@sigcast/contracts';
import type { SignalFilter } from '../../api/signal-filter.ts';
import { keysOf, statusWords, typeWords } from './signal-words.ts';
import styles from './signals.module.css';

const types = keysOf(typeWords).map((value) => ({ value, label: typeWords[value] }));
const statuses = keysOf(statusWords).map((value) => ({ value, label: statusWords[value].word }));

/** Which signals are listed. Nothing chosen is everything. */
export function SignalFilters({
  filter,
  onChange,
}: {
  filter: SignalFilter;
  onChange: (to: SignalFilter) => void;
}) {
  return (
    <Group gap="xs">
      <MultiSelect
        className={styles.filter ?? ''}
        size="sm"
        aria-label="Types"
        placeholder={filter.types.length === 0 ? 'All types' : ''}
        data={types}
        value={[...filter.types]}
        onChange={(chosen) => onChange({ ...filter, types: chosen as SignalType[] })}
        withScrollArea={false}
        clearable
        clearButtonProps={{ 'aria-label': 'All types' }}
      />
      <MultiSelect
        className={styles.filter ?? ''}
        size="sm"
        aria-label="Statuses"
        placeholder={filter.statuses.length === 0 ? 'All statuses' : ''}
        data={statuses}
        value={[...filter.statuses]}
        onChange={(chosen) => onChange({ ...filter, statuses: chosen as SignalStatus[] })}
        withScrollArea={false}
        clearable
        clearButtonProps={{ 'aria-label': 'All statuses' }}
      />
    </Group>
  );
}
