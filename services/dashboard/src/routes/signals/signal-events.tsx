import type { FeedEvent, WebhookEventType } from '@sigcast/client';
import { Empty } from '../../ui/empty.tsx';
import { exactTime, usd } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { Roi } from './roi.tsx';
import styles from './signal-page.module.css';
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
    <div className={table.scroll}>
      <table className={table.table} aria-label="Events">
        <thead>
          <tr>
            <th>Event</th>
            <th className={table.number}>ROI at event</th>
            <th className={`${table.number} ${table.medium}`}>Market cap at event</th>
            <th className={table.wide}>Event id</th>
            <th className={`${table.number} ${table.medium}`}>Time</th>
          </tr>
        </thead>
        <tbody>
          {[...events].reverse().map((event) => (
            <tr key={event.id}>
              <td>
                <span className={styles.event}>{event.event}</span>
                <span className={styles.words}>{words[event.event]}</span>
                <span className={table.insteadOfMedium}>
                  <Instant at={event.timestamp} />
                </span>
              </td>
              <td className={table.number}>
                <Roi percent={event.data.performance.roi} />
              </td>
              <td className={`${table.number} ${table.medium}`}>{usd(event.data.metrics.mcap_current)}</td>
              <td className={`${table.wide} ${styles.id}`}>{event.id}</td>
              <td className={`${table.number} ${table.medium}`}>
                <Instant at={event.timestamp} />
                <span className={styles.words}>{exactTime(event.timestamp)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
