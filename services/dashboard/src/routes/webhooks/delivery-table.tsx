import type { Delivery } from '@sigcast/client';
import { milliseconds } from '../../ui/format.ts';
import { LogLink } from '../../ui/log-link.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { DeliveryTag, NextAttempt } from './delivery-tag.tsx';
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
          head: 'Time and event',
          cell: (delivery) => (
            <LogLink href={props.hrefOf(delivery)} at={delivery.created_at} what={delivery.event} />
          ),
        },
        {
          // Tokens have several signals: the end of the identifier tells these apart.
          head: 'Token, signal',
          className: table.token,
          medium: '',
          cell: ({ symbol, signal_id: signal }) => (
            <>
              <bdi title={symbol ?? ''}>{symbol ?? '–'}</bdi>
              {signal !== null && (
                <span className={styles.signal} title={signal}>
                  …{signal.slice(-4)}
                </span>
              )}
            </>
          ),
        },
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
        { head: 'Attempts', number: true, wide: true, cell: ({ attempt_count: attempts }) => attempts },
        {
          head: 'State',
          className: styles.state,
          cell: (delivery) => (
            <>
              <DeliveryTag delivery={delivery} />{' '}
              {delivery.attempt_count > 0 && delivery.next_attempt_at !== null && (
                <span className={styles.next}>
                  <NextAttempt at={delivery.next_attempt_at} />
                </span>
              )}
            </>
          ),
        },
      ]}
    />
  );
}
