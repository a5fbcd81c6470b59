import { Button, MultiSelect, Select, TextInput } from '@mantine/core';
import type { SignalStatus, SignalType } from '@sigcast/client';
import { useState } from 'react';
import {
  everySignal,
  isNarrowed,
  type SignalFilter,
  type TokenQuery,
  tokenIn,
} from '../../api/signal-filter.ts';
import { keysOf, statusWords, typeWords } from './signal-words.ts';
import styles from './signals.module.css';

const types = keysOf(typeWords).map((value) => ({ value, label: typeWords[value] }));
const statuses = keysOf(statusWords).map((value) => ({ value, label: statusWords[value].word }));
const risks = [
  { value: 'none-known', label: 'None known' },
  { value: 'none-found', label: 'Checked, none' },
];

/** The filters of the list. A filter without a choice leaves nothing out. */
export function SignalFilters(props: { filter: SignalFilter; onChange: (to: SignalFilter) => void }) {
  const { filter, onChange } = props;
  const change = (changes: Partial<SignalFilter>) => onChange({ ...filter, ...changes, page: 1 });
  const { from, to } = filter;
  const backwards = from !== null && to !== null && from > to;
  const [unfolded, setUnfolded] = useState(isNarrowed(filter));
  return (
    <search className={`${styles.filters} ${unfolded ? '' : styles.folded}`} aria-label="Filter signals">
      <TokenField token={filter.token} onChange={(token) => change({ token })} />
      <Button
        className={styles.unfold ?? ''}
        size="xs"
        variant="default"
        aria-expanded={unfolded}
        onClick={() => setUnfolded(!unfolded)}
      >
        More filters
      </Button>
      <MultiSelect
        size="xs"
        label="Types"
        placeholder={filter.types.length === 0 ? 'All' : ''}
        data={types}
        value={[...filter.types]}
        onChange={(chosen) => change({ types: chosen as SignalType[] })}
        withScrollArea={false}
        clearable
        clearButtonProps={{ 'aria-label': 'All types' }}
      />
      <MultiSelect
        size="xs"
        label="Statuses"
        placeholder={filter.statuses.length === 0 ? 'All' : ''}
        data={statuses}
        value={[...filter.statuses]}
        onChange={(chosen) => change({ statuses: chosen as SignalStatus[] })}
        withScrollArea={false}
        clearable
        clearButtonProps={{ 'aria-label': 'All statuses' }}
      />
      <Select
        className={styles.risks ?? ''}
        size="xs"
        label="Risks"
        placeholder="Any"
        data={risks}
        value={filter.risks}
        onChange={(chosen) => change({ risks: chosen as SignalFilter['risks'] })}
        withScrollArea={false}
        clearable
        clearButtonProps={{ 'aria-label': 'Any risks' }}
      />
      <TextInput
        className={styles.day ?? ''}
        size="xs"
        type="date"
        label="First day (UTC)"
        value={from ?? ''}
        onChange={(event) => change({ from: event.currentTarget.value || null })}
      />
      <TextInput
        className={styles.day ?? ''}
        size="xs"
        type="date"
        label="Last day (UTC)"
        value={to ?? ''}
        onChange={(event) => change({ to: event.currentTarget.value || null })}
        error={backwards ? 'Choose the first day or a later day' : undefined}
      />
      {isNarrowed(filter) && (
        <Button size="xs" variant="default" onClick={() => onChange({ ...everySignal, sort: filter.sort })}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

/** The field for a token's symbol or contract address. It applies with Enter, or when the field is left. */
function TokenField(props: { token: TokenQuery | null; onChange: (token: TokenQuery | null) => void }) {
  const shown = props.token?.text ?? '';
  const [text, setText] = useState(shown);
  const [last, setLast] = useState(shown);
  if (shown !== last) {
    setLast(shown);
    setText(shown);
  }
  const take = () => {
    const token = tokenIn(text);
    if (token?.text !== props.token?.text) props.onChange(token);
    else setText(shown);
  };
  return (
    <form
      className={styles.search}
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
    >
      <TextInput
        size="xs"
        type="search"
        label="Symbol or contract"
        placeholder="Exact, such as NOVA"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={take}
      />
    </form>
  );
}
