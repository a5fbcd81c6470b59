import type { Delivery } from '@sigcast/client';
import { Link } from 'wouter';
import { Instant } from '../../ui/instant.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { LastAnswer } from './last-answer.tsx';
import { deliveryWord } from './webhook-words.ts';
import styles from './webhooks.module.css';

/** A page of a log; each row opens its delivery. */
export function DeliveryTable(props: {
  deliveries: readonly Delivery[];
  hrefOf: (delivery: Delivery) => string;
}) {
  return (
    <div className={table.scroll}>
      <table className={table.table} aria-label="Deliveries">
        <thead>
          <tr>
            <th>Event</th>
            <th>State</th>
            <th className={table.medium}>Last answer</th>
            <th className={`${table.number} ${table.medium}`}>Attempts</th>
            <th className={table.wide}>Signal</th>
            <th className={`${table.number} ${table.medium}`}>Created</th>
          </tr>
        </thead>
        <tbody>
          {props.deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} href={props.hrefOf(delivery)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function DeliveryRow({ delivery, href }: { delivery: Delivery; href: string }) {
  const { word, tone } = deliveryWord(delivery);
  const failed = delivery.status === 'failed';
  return (
    <tr className={`${table.opens} ${failed ? styles.failed : ''}`}>
      <td>
        <Link className={styles.event ?? ''} href={href}>
          {delivery.event}
        </Link>
        <span className={table.insteadOfMedium}>
          <Instant at={delivery.created_at} />
        </span>
        <span className={table.insteadOfMedium}>
          <LastAnswer delivery={delivery} />
        </span>
      </td>
      <td>
        <Tag tone={tone}>{word}</Tag>
      </td>
      <td className={`${table.medium} ${styles.answerCell}`}>
        <LastAnswer delivery={delivery} />
      </td>
      <td className={`${table.number} ${table.medium}`}>{delivery.attempt_count}</td>
      <td className={table.wide}>{delivery.signal_id ?? '–'}</td>
      <td className={`${table.number} ${table.medium}`}>
        <Instant at={delivery.created_at} />
      </td>
    </tr>
  );
}
