import { Button, NativeSelect, TextInput } from '@mantine/core';
import { sentEventTypeValues } from '@sigcast/client';
import { useState } from 'react';
import {
  type DeliveryFilter,
  deliveryFilterIn,
  everyDelivery,
  isFiltered,
} from '../../api/delivery-filter.ts';
import styles from './webhooks.module.css';

const anything = { value: '', label: 'All' };
const events = [anything, ...sentEventTypeValues.map((value) => ({ value, label: value }))];
/** The answers that receivers, and proxies in front of them, usually give. */
const statuses = [
  ...['200', '201', '202', '204', '301', '302', '400', '401', '403', '404', '405', '410', '413', '422'],
  ...['429', '500', '502', '503', '504'],
];

/** The filters of a log, besides that of the state. */
export function DeliveryFilters(props: {
  filter: DeliveryFilter;
  onChange: (filter: DeliveryFilter) => void;
}) {
  const { filter } = props;
  const change = (changes: object) => {
    // Goes through the form that an address has, where an empty value counts as left out.
    props.onChange({ ...filter, ...changes, page: 1 });
  };
  const known = filter.answered === null || filter.answered === 'none' || statuses.includes(filter.answered);
  const answers = [
    anything,
    { value: 'none', label: 'No answer' },
    ...[...statuses, ...(known ? [] : [filter.answered ?? ''])]
      .sort()
      .map((value) => ({ value, label: value })),
  ];
  return (
    <search className={styles.filters} aria-label="Filter deliveries">
      <NativeSelect
        size="xs"
        label="Event"
        data={events}
        value={filter.event ?? ''}
        onChange={(event) => change({ event: event.currentTarget.value || null })}
      />
      <NativeSelect
        size="xs"
        label="Status code"
        data={answers}
        value={filter.answered ?? ''}
        onChange={(event) => change({ answered: event.currentTarget.value || null })}
      />
      <SignalField signal={filter.signal} onChange={(signal) => change({ signal })} />
      {isFiltered({ ...filter, status: null }) && (
        <Button
          size="xs"
          variant="default"
          onClick={() => props.onChange({ ...everyDelivery, status: filter.status })}
        >
          Clear filters
        </Button>
      )}
    </search>
  );
}

/** The field for a signal's id, which applies as soon as the text has the form of an id. */
function SignalField(props: { signal: string | null; onChange: (signal: string | null) => void }) {
  const [text, setText] = useState(props.signal ?? '');
  const [last, setLast] = useState(props.signal);
  if (props.signal !== last) {
    setLast(props.signal);
    setText(props.signal ?? '');
  }
  const take = (typed: string) => {
    setText(typed);
    const signal = typed.trim() === '' ? null : signalIn(typed);
    if (signal !== undefined && signal !== props.signal) {
      setLast(signal);
      props.onChange(signal);
    }
  };
  const wrong = text.trim() !== '' && signalIn(text) === undefined;
  return (
    <TextInput
      size="xs"
      label="Signal"
      placeholder="sig_…"
      value={text}
      onChange={(event) => take(event.currentTarget.value)}
      error={wrong ? 'Enter a whole signal id: sig_ and 20 to 26 characters' : undefined}
    />
  );
}

function signalIn(text: string): string | undefined {
  const query = new URLSearchParams({ signal_id: text.trim() });
  return deliveryFilterIn(query.toString()).signal ?? undefined;
}
