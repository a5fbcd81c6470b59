import type { Delivery } from '@sigcast/client';
import { Link } from 'wouter';
import { milliseconds } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { DeliveryTag } from './delivery-tag.tsx';
import { LastAnswer } from './last-answer.tsx';
import styles from './webhooks.module.css';

/** A page of a log; each row opens its delivery. */
export function DeliveryTable(props: {
  deliveries: readonly Delivery[];
  hrefOf: (delivery: Delivery) => string;
}) {
  return (
    <Table
      label="Deliveries"
      rows={props.deliveries}
      keyOf={({ id }) => id}
      opens
      rowClass={({ status }) => (status === 'failed' ? styles.failed : undefined)}
      columns={[
        {
          head: 'Event',
          cell: (delivery) => (
            <Link className={table.event ?? ''} href={props.hrefOf(delivery)}>
              {delivery.event}
            </Link>
          ),
        },
        { head: 'State', cell: (delivery) => <DeliveryTag delivery={delivery} /> },
        {
          head: 'Last answer',
          className: styles.answerCell,
          medium: '',
          cell: (delivery) => <LastAnswer delivery={delivery} />,
        },
        {
          head: 'Took',
          number: true,
          medium: true,
          cell: ({ last_attempt: attempt }) => (attempt ? milliseconds(attempt.duration_ms) : '–'),
        },
        { head: 'Attempts', number: true, medium: true, cell: ({ attempt_count: attempts }) => attempts },
        {
          head: 'Next try',
          number: true,
          wide: true,
          cell: ({ next_attempt_at: at }) => (at === null ? '–' : <Instant at={at} />),
        },
        { head: 'Created', number: true, medium: '', cell: ({ created_at: at }) => <Instant at={at} /> },
      ]}
    />
  );
}
