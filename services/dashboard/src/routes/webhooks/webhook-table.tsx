import type { Webhook } from '@sigcast/client';
import { Link } from 'wouter';
import { Address } from '../../ui/address.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Instant } from '../../ui/instant.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Health } from './health.tsx';
import { kindWords, stateOf } from './webhook-words.ts';
import styles from './webhooks.module.css';

/** Subscriptions, each with a link to its own page. */
export function WebhookTable({ webhooks }: { webhooks: readonly Webhook[] }) {
  if (webhooks.length === 0) {
    return (
      <Empty title="No webhooks yet">
        Add a webhook, and Sigcast sends each new signal to your address.{' '}
        <Link href="/getting-started">Start with a sample receiver</Link>
      </Empty>
    );
  }
  return (
    <Table
      label="Webhooks"
      rows={webhooks}
      keyOf={({ id }) => id}
      opens
      columns={[
        {
          head: 'Address and health',
          className: styles.address,
          cell: ({ id, kind, url, description }) => (
            <>
              <Link href={`/webhooks/${id}`} className={table.title ?? ''}>
                <Address url={url} />
              </Link>
              {kind !== 'webhook' && <span className={table.small}>{kindWords[kind]}</span>}
              {description !== null && <span className={table.small}>{description}</span>}
              <Health id={id} />
            </>
          ),
        },
        { head: 'State', cell: (webhook) => <WebhookTag webhook={webhook} /> },
        { head: 'Events', wide: true, cell: ({ events }) => events.join(', ') },
        { head: 'Added', number: true, wide: true, cell: ({ created_at: at }) => <Instant at={at} /> },
      ]}
    />
  );
}

function WebhookTag({ webhook }: { webhook: Webhook }) {
  const { word, tone } = stateOf(webhook);
  return <Tag tone={tone}>{word}</Tag>;
}
