import { Button } from '@mantine/core';
import type { FeedEvent } from '@sigcast/client';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { type EventFilter, eventChoice, eventFilterIn, eventQuery } from '../../api/event-filter.ts';
import { Empty } from '../../ui/empty.tsx';
import { ForRole } from '../../ui/for-role.tsx';
import { exactTime, logTime, plural, usd } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { filterIn } from '../filters/filter-rows.ts';
import { LiveSign } from '../signals/live-sign.tsx';
import { Roi } from '../signals/roi.tsx';
import { typeWords } from '../signals/signal-words.ts';
import signals from '../signals/signals.module.css';
import { AddWebhook } from '../webhooks/add-webhook.tsx';
import { EventFilters } from './event-filters.tsx';
import { EventPanel } from './event-panel.tsx';
import { useEventFeed } from './use-event-feed.ts';

/** Events as they happen, and those of the last 30 days. The address has the filter and the opened event. */
export default function EventsPage() {
  const [, navigate] = useLocation();
  const search = useSearch();
  const filter = eventFilterIn(search);
  const opened = new URLSearchParams(search).get('open') ?? undefined;
  const [held, setHeld] = useState(false);
  const [adding, setAdding] = useState(false);
  const { feed, stream, waiting, release } = useEventFeed(filter, held);
  const pathTo = (query: URLSearchParams) => `/events${query.size > 0 ? `?${query}` : ''}`;
  const show = (next: EventFilter) => navigate(pathTo(eventQuery(next)));
  const hrefOf = ({ id }: FeedEvent) => {
    const query = eventQuery(filter);
    query.set('open', id);
    return pathTo(query);
  };
  const goOn = () => {
    setHeld(false);
    release();
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
        <Loaded query={feed} lines={8}>
          {({ pages }) => {
            const events = pages.flatMap(({ data }) => data);
            return (
              <Outdated busy={feed.isPlaceholderData}>
                <div className={signals.calm} onPointerEnter={() => setHeld(true)} onPointerLeave={goOn}>
                  {waiting > 0 && (
                    <Button className={signals.waiting ?? ''} size="compact-xs" onClick={goOn}>
                      {plural(waiting, 'new event')}
                    </Button>
                  )}
                  {events.length === 0 ? (
                    <NoEvents filter={filter} goesOn={feed.hasNextPage} />
                  ) : (
                    <EventTable events={events} hrefOf={hrefOf} />
                  )}
                </div>
                <ShowMore query={feed} />
              </Outdated>
            );
          }}
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

function EventTable(props: { events: readonly FeedEvent[]; hrefOf: (event: FeedEvent) => string }) {
  return (
    <Table
      label="Events"
      rows={props.events}
      keyOf={({ id }) => id}
      opens
      columns={[
        {
          head: 'Time and event',
          cell: (event) => (
            <Link className={table.log ?? ''} href={props.hrefOf(event)}>
              <time dateTime={event.timestamp} title={exactTime(event.timestamp)}>
                {logTime(event.timestamp)}
              </time>{' '}
              <b>{event.event}</b>
            </Link>
          ),
        },
        {
          head: 'Token',
          className: table.token,
          medium: '',
          cell: ({ data }) => <bdi>{data.token.symbol}</bdi>,
        },
        { head: 'Type', medium: true, cell: ({ data }) => typeWords[data.type] },
        { head: 'ROI', number: true, cell: ({ data }) => <Roi percent={data.performance.roi} /> },
        {
          head: 'Market cap',
          number: true,
          medium: true,
          cell: ({ data }) => usd(data.metrics.mcap_current),
        },
      ]}
    />
  );
}
