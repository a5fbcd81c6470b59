import type { FeedEvent, WebhookEventType } from '@sigcast/client';
import { Empty } from '../../ui/empty.tsx';
import { exactTime } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Usd } from '../../ui/usd.tsx';
import { Roi } from './roi.tsx';
import { useSignalEvents } from './signal-queries.ts';

const words: Readonly<Record<WebhookEventType, string>> = {
  'signal.new': 'The signal was created',
  'signal.winner': 'The signal became a winner',
  'signal.dead': 'The signal was marked dead',
  'signal.rugged': 'The token was rugged',
};

/** The events of a signal, each with the figures at its time. */
export function SignalEvents({ id }: { id: string }) {
  const events = useSignalEvents(id);
  return (
    <Section
      title="Events"
      flush
      description="Events of this signal, as webhooks and the event stream receive them. Events are kept for 30 days."
    >
      <Loaded query={events} lines={2}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No events kept">The events of this signal are older than 30 days.</Empty>
          ) : (
            <EventTable events={list} />
          )
        }
      </Loaded>
    </Section>
  );
}

function EventTable({ events }: { events: readonly FeedEvent[] }) {
  return (
    <Table
      label="Events"
      rows={events.toReversed()}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Event',
          cell: ({ event }) => (
            <>
              <span className={table.event}>{event}</span>
              <span className={table.small}>{words[event]}</span>
            </>
          ),
        },
        { head: 'ROI at event', number: true, cell: ({ data }) => <Roi percent={data.performance.roi} /> },
        {
          head: 'Market cap at event',
          number: true,
          medium: true,
          cell: ({ data }) => <Usd amount={data.metrics.mcap_current} aligned />,
        },
        { head: 'Event id', wide: true, cell: ({ id }) => <span className={table.code}>{id}</span> },
        {
          head: 'Time',
          number: true,
          medium: '',
          cell: ({ timestamp }) => (
            <>
              <Instant at={timestamp} />
              <span className={table.small}>{exactTime(timestamp)}</span>
            </>
          ),
        },
      ]}
    />
  );
}
