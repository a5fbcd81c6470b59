import { Button } from '@mantine/core';
import type { FeedEvent } from '@sigcast/client';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { type EventFilter, eventChoice, eventFilterIn, eventQuery } from '../../api/event-filter.ts';
import { CalmPlace } from '../../ui/calm-place.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ForRole } from '../../ui/for-role.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { LogLink } from '../../ui/log-link.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Usd } from '../../ui/usd.tsx';
import { useCalmRows } from '../../ui/use-calm-rows.ts';
import { filterIn } from '../filters/filter-rows.ts';
import { LiveSign } from '../signals/live-sign.tsx';
import { Roi } from '../signals/roi.tsx';
import { statusWords, typeWords } from '../signals/signal-words.ts';
import { AddWebhook } from '../webhooks/add-webhook.tsx';
import { EventFilters } from './event-filters.tsx';
import { EventPanel } from './event-panel.tsx';
import styles from './events.module.css';
import { useEventFeed } from './use-event-feed.ts';

/** Events as they happen, and those of the last 30 days. The address has the filter and the opened event. */
export default function EventsPage() {
  const [, navigate] = useLocation();
  const search = useSearch();
  const filter = eventFilterIn(search);
  const opened = new URLSearchParams(search).get('open') ?? undefined;
  const [adding, setAdding] = useState(false);
  const { feed, events, stream } = useEventFeed(filter);
  const pathTo = (query: URLSearchParams) => `/events${query.size > 0 ? `?${query}` : ''}`;
  const show = (next: EventFilter) => navigate(pathTo(eventQuery(next)));
  const hrefOf = ({ id }: FeedEvent) => {
    const query = eventQuery(filter);
    query.set('open', id);
    return pathTo(query);
  };
  return (
    <Page
      title="Events"
      description="What webhooks and the event stream bring, in order and without a gap, for 30 days."
      actions={
        <>
          <LiveSign stream={stream} figuresAtMs={feed.dataUpdatedAt} />
          <ForRole needs="developer">
            <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
              {isEvery(filter) ? 'Add webhook' : 'Add webhook with this filter'}
            </Button>
          </ForRole>
        </>
      }
    >
      <Section title="Latest events" flush description="Figures are those at the time of the event.">
        <EventFilters key={eventQuery(filter).toString()} filter={filter} onChange={show} />
        <Loaded query={feed} rows={12}>
          {() => (
            <Outdated busy={feed.isPlaceholderData}>
              <CalmEvents events={events} filter={filter} goesOn={feed.hasNextPage} hrefOf={hrefOf} />
              <ShowMore query={feed} />
            </Outdated>
          )}
        </Loaded>
      </Section>
      <EventPanel id={opened} onClose={() => show(filter)} />
      <AddWebhook
        opened={adding}
        initial={{ ...filter, filter: filterIn(filter.conditions ?? '') ?? null }}
        onClose={() => setAdding(false)}
        onStored={({ id }) => navigate(`/webhooks/${id}`)}
      />
    </Page>
  );
}

/** The table, whose rows keep their places while they are read. */
function CalmEvents(props: TableProps & { filter: EventFilter; goesOn: boolean }) {
  const { events, filter, goesOn, hrefOf } = props;
  const { rows, ...calm } = useCalmRows(events, eventQuery(filter).toString());
  return (
    <CalmPlace calm={calm} kind="new event">
      {rows.length === 0 ? (
        <NoEvents filter={filter} goesOn={goesOn} />
      ) : (
        <EventTable events={rows} hrefOf={hrefOf} />
      )}
    </CalmPlace>
  );
}

function isEvery(filter: EventFilter): boolean {
  return Object.keys(eventChoice(filter)).length === 0;
}

function NoEvents({ filter, goesOn }: { filter: EventFilter; goesOn: boolean }) {
  if (goesOn) return <Empty title="No newer event matches this filter">Older ones may.</Empty>;
  if (!isEvery(filter)) return <Empty title="No event of the last 30 days matches this filter" />;
  return (
    <Empty title="No events yet">
      An event appears here when a signal is created, wins, dies or is rugged.{' '}
      <Link href="/signals">See the signals</Link>
    </Empty>
  );
}

type TableProps = { readonly events: readonly FeedEvent[]; readonly hrefOf: (event: FeedEvent) => string };

function EventTable(props: TableProps) {
  return (
    <Table
      label="Events"
      rows={props.events}
      keyOf={({ id }) => id}
      opens
      columns={[
        {
          head: 'Time and event',
          className: styles.event,
          cell: (event) => (
            <LogLink
              href={props.hrefOf(event)}
              at={event.timestamp}
              what={<Tag tone={statusWords[event.data.performance.status].tone}>{event.event}</Tag>}
            />
          ),
        },
        {
          head: 'Token',
          className: table.token,
          medium: '',
          cell: ({ data: { token } }) => (
            <>
              <bdi className={styles.symbol}>{token.symbol}</bdi>{' '}
              <bdi className={styles.name}>{token.name}</bdi>
            </>
          ),
        },
        { head: 'Type', medium: '', cell: ({ data }) => typeWords[data.type] },
        {
          head: 'ROI',
          number: true,
          // A new signal has none yet: a column of zeros would hide those that say something.
          cell: ({ event, data }) => (event === 'signal.new' ? '–' : <Roi percent={data.performance.roi} />),
        },
        {
          head: 'Market cap',
          number: true,
          medium: true,
          cell: ({ data }) => <Usd amount={data.metrics.mcap_current} aligned />,
        },
      ]}
    />
  );
}
