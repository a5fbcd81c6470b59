import type { Webhook } from '@sigcast/client';
import { recentAttempts } from '@sigcast/contracts';
import { Link } from 'wouter';
import { Empty } from '../../ui/empty.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Health } from './health.tsx';
import { addressOf, kindWords, nameOf } from './webhook-words.ts';
import styles from './webhooks.module.css';

/** Webhooks, each with a link to its own page. */
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
          head: (
            <div className={styles.line}>
              <span>Webhook</span>
              <div className={styles.health}>
                <span>Last {recentAttempts} attempts</span>
                <span className={styles.rateHead}>Success</span>
                <span>Health</span>
                <span>Last error</span>
              </div>
            </div>
          ),
          className: styles.webhook,
          cell: (webhook) => (
            <div className={styles.line}>
              <Link href={`/webhooks/${webhook.id}`} className={styles.name ?? ''} title={webhook.url}>
                <bdi>{nameOf(webhook)}</bdi>
                {webhook.kind !== 'webhook' && <span>{kindWords[webhook.kind]}</span>}
                {webhook.description !== null && <span>{addressOf(webhook)}</span>}
              </Link>
              <Health webhook={webhook} />
            </div>
          ),
        },
        {
          head: 'Events',
          wide: true,
          cell: ({ events }) => <span className={table.mono}>{events.join(', ')}</span>,
        },
      ]}
    />
  );
}
