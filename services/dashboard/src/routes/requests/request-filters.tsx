import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { ApiKeyView } from '@sigcast/contracts';
import { useState } from 'react';
import {
  isFiltered,
  type RequestFilter,
  requestFilterIn,
  requestsOfPrograms,
} from '../../api/request-filter.ts';
import { visiblePart } from '../profile/key-facts.tsx';
import styles from './requests.module.css';

const statuses = [
  { value: '', label: 'All' },
  { value: '2xx', label: '2xx: success' },
  { value: '4xx', label: '4xx: client error' },
  { value: '5xx', label: '5xx: server error' },
  ...['400', '401', '403', '404', '409', '429', '499', '503', '504'].map((value) => ({
    value,
    label: value,
  })),
];

/** The filters of the log. `routes`: those of the requests that are shown. */
export function RequestFilters(props: {
  filter: RequestFilter;
  keys: readonly ApiKeyView[];
  routes: readonly string[];
  onChange: (filter: RequestFilter) => void;
}) {
  const { filter, keys, routes, onChange } = props;
  const change = (changes: Partial<RequestFilter>) => onChange({ ...filter, ...changes });
  const known = [...new Set([...routes, ...(filter.route === null ? [] : [filter.route])])].sort();
  const names = [
    { value: '', label: 'All and dashboard' },
    { value: 'programs', label: 'All API keys' },
    ...keys.map((key) => ({ value: key.id, label: `${key.name} ${visiblePart(key)}` })),
    { value: 'dashboard', label: 'Dashboard' },
  ];
  const isNamed = filter.key === null || names.some(({ value }) => value === filter.key);
  return (
    <search className={styles.filters} aria-label="Filter requests">
      <RequestIdField
        id={filter.requestId}
        onChange={(requestId) => change({ requestId, key: requestId === null ? 'programs' : null })}
      />
      <NativeSelect
        size="xs"
        label="Status"
        data={withValue(statuses, filter.status)}
        value={filter.status ?? ''}
        onChange={(event) => change({ status: event.currentTarget.value || null })}
      />
      <NativeSelect
        size="xs"
        label="Key"
        data={isNamed ? names : withValue(names, filter.key)}
        value={filter.key ?? ''}
        onChange={(event) => change({ key: event.currentTarget.value || null })}
      />
      <NativeSelect
        size="xs"
        label="Path"
        data={[{ value: '', label: 'All' }, ...known.map((value) => ({ value, label: value }))]}
        value={filter.route ?? ''}
        onChange={(event) => change({ route: event.currentTarget.value || null })}
      />
      {isFiltered(filter) && (
        <Button size="xs" variant="default" onClick={() => onChange(requestsOfPrograms)}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

type Choice = { readonly value: string; readonly label: string };

/** The choices, with one for a value that is in the address only. */
function withValue(choices: readonly Choice[], value: string | null): Choice[] {
  const isKnown = value === null || choices.some((choice) => choice.value === value);
  return isKnown ? [...choices] : [...choices, { value, label: value }];
}

/** The field for a request's id. It applies with Enter, or when the field is left. */
function RequestIdField(props: { id: string | null; onChange: (id: string | null) => void }) {
  const shown = props.id ?? '';
  const [text, setText] = useState(shown);
  const [last, setLast] = useState(shown);
  if (shown !== last) {
    setLast(shown);
    setText(shown);
  }
  const typed = text.trim();
  const id = requestFilterIn(new URLSearchParams({ request_id: typed }).toString()).requestId;
  const isWrong = typed !== '' && id === null;
  const take = () => {
    if (!isWrong && id !== props.id) props.onChange(id);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
    >
      <TextInput
        size="xs"
        type="search"
        label="Request id"
        placeholder="req_…"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={take}
        error={isWrong ? 'Enter a whole request id: 8 to 128 characters' : undefined}
      />
    </form>
  );
}
