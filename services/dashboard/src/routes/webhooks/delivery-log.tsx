import { SegmentedControl } from '@mantine/core';
import type { Delivery, Webhook } from '@sigcast/contracts';
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useDeliveries } from '../../api/queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Section } from '../../ui/page.tsx';
import { deepestRow, Paging } from '../../ui/paging.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { DeliveryPanel } from './delivery-panel.tsx';
import { deliveryWord } from './webhook-words.ts';
import styles from './webhooks.module.css';

const choices = [
  { value: 'all', label: 'All' },
  { value: 'pending', label: 'On their way' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
];

/** Everything sent to a subscription, newest first. */
export function DeliveryLog({ webhook }: { webhook: Webhook }) {
  const [status, setStatus] = useState('all');
  const [page, setPage] = useState(1);
  const [, navigate] = useLocation();
  const opened = new URLSearchParams(useSearch()).get('delivery');
  const chosen = status === 'all' ? null : (status as Delivery['status']);
  const deliveries = useDeliveries(webhook.id, { status: chosen, page });
  return (
    <Section
      title="Deliveries"
      flush
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Which deliveries"
          data={choices}
          value={status}
          onChange={(value) => {
            setStatus(value);
            setPage(1);
          }}
        />
      }
    >
      <Loaded query={deliveries}>
        {({ data, meta }) => (
          <>
            {data.length === 0 ? (
              <Empty title={chosen === null ? 'Nothing sent yet' : 'None of these'}>
                {chosen === null && 'Send a test to see whether your receiver answers.'}
              </Empty>
            ) : (
              <Outdated busy={deliveries.isPlaceholderData}>
                <DeliveryTable webhookId={webhook.id} deliveries={data} />
              </Outdated>
            )}
            {meta.total > 0 && <Paging meta={meta} countsTo={deepestRow} onPage={setPage} />}
          </>
        )}
      </Loaded>
      <DeliveryPanel
        webhook={webhook}
        id={opened ?? undefined}
        onClose={() => navigate(`/webhooks/${webhook.id}`)}
      />
    </Section>
  );
}

function DeliveryTable(props: { webhookId: string; deliveries: readonly Delivery[] }) {
  return (
    <div className={table.scroll}>
      <table className={table.table} aria-label="Deliveries">
        <thead>
          <tr>
            <th>Event</th>
            <th>State</th>
            <th className={table.number}>Attempts</th>
            <th className={table.wide}>Signal</th>
            <th className={`${table.number} ${table.medium}`}>Made</th>
          </tr>
        </thead>
        <tbody>
          {props.deliveries.map((delivery) => {
            const { word, tone } = deliveryWord(delivery);
            return (
              <tr key={delivery.id} className={table.opens}>
                <td>
                  <Link
                    className={styles.event ?? ''}
                    href={`/webhooks/${props.webhookId}?delivery=${encodeURIComponent(delivery.id)}`}
                  >
                    {delivery.event}
                  </Link>
                  <span className={table.insteadOfMedium}>
                    <Instant at={delivery.created_at} />
                  </span>
                </td>
                <td>
                  <Tag tone={tone}>{word}</Tag>
                </td>
                <td className={table.number}>{delivery.attempt_count}</td>
                <td className={table.wide}>{delivery.signal_id ?? '–'}</td>
                <td className={`${table.number} ${table.medium}`}>
                  <Instant at={delivery.created_at} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
