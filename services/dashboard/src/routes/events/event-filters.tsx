import { Button, Group, MultiSelect } from '@mantine/core';
import { type SignalType, type WebhookEventType, webhookEventTypeValues } from '@sigcast/client';
import { useState } from 'react';
import type { EventFilter } from '../../api/event-filter.ts';
import { FilterBuilder } from '../filters/filter-builder.tsx';
import { type Filter, filterIn } from '../filters/filter-rows.ts';
import { keysOf, typeWords } from '../signals/signal-words.ts';
import styles from './events.module.css';

const types = keysOf(typeWords).map((value) => ({ value, label: typeWords[value] }));

/** The filters of the feed: the same as those of a webhook. */
export function EventFilters(props: { filter: EventFilter; onChange: (to: EventFilter) => void }) {
  const { filter, onChange } = props;
  const [building, setBuilding] = useState(filter.conditions !== null);
  const stored = filterIn(filter.conditions ?? '');
  const [draft, setDraft] = useState<Filter | null | undefined>(stored);
  const text = draft ? JSON.stringify(draft) : null;
  const isNarrowed = filter.events.length > 0 || filter.types.length > 0 || filter.conditions !== null;
  return (
    <search className={styles.filters} aria-label="Filter events">
      <MultiSelect
        size="xs"
        label="Events"
        placeholder={filter.events.length === 0 ? 'All' : ''}
        data={webhookEventTypeValues}
        value={[...filter.events]}
        onChange={(chosen) => onChange({ ...filter, events: chosen as WebhookEventType[] })}
        withScrollArea={false}
      />
      <MultiSelect
        size="xs"
        label="Signal types"
        placeholder={filter.types.length === 0 ? 'All' : ''}
        data={types}
        value={[...filter.types]}
        onChange={(chosen) => onChange({ ...filter, types: chosen as SignalType[] })}
        withScrollArea={false}
      />
      {!building && (
        <Button size="xs" variant="default" onClick={() => setBuilding(true)}>
          {filter.conditions === null ? 'Add conditions' : 'Edit conditions'}
        </Button>
      )}
      {isNarrowed && (
        <Button
          size="xs"
          variant="default"
          onClick={() => onChange({ events: [], types: [], conditions: null })}
        >
          Clear filter
        </Button>
      )}
      {building && (
        <div className={styles.conditions}>
          <FilterBuilder
            initial={stored ?? null}
            description="Only events whose signal meets all conditions."
            events={filter.events.length > 0 ? filter.events : webhookEventTypeValues}
            types={filter.types}
            onChange={setDraft}
          />
          <Group gap="xs">
            <Button
              size="xs"
              disabled={draft === undefined || text === filter.conditions}
              onClick={() => onChange({ ...filter, conditions: text })}
            >
              Apply conditions
            </Button>
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                setBuilding(false);
                setDraft(stored);
              }}
            >
              Close
            </Button>
          </Group>
        </div>
      )}
    </search>
  );
}
