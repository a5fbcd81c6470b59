import type { Webhook } from '@sigcast/client';
import { Link } from 'wouter';
import { Address } from '../../ui/address.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Instant } from '../../ui/instant.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { Health } from './health.tsx';
import { stateOf } from './webhook-words.ts';
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
    <div className={table.scroll}>
      <table className={table.table} aria-label="Webhooks">
        <thead>
          <tr>
            <th>Address and health</th>
            <th>State</th>
            <th className={table.wide}>Events</th>
            <th className={`${table.number} ${table.wide}`}>Added</th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => {
            const state = stateOf(webhook);
            return (
              <tr key={webhook.id} className={table.opens}>
                <td className={styles.address}>
                  <Link href={`/webhooks/${webhook.id}`} className={styles.link ?? ''}>
                    <Address url={webhook.url} />
                  </Link>
                  {webhook.description !== null && (
                    <span className={styles.description}>{webhook.description}</span>
                  )}
                  <Health id={webhook.id} />
                </td>
                <td>
                  <Tag tone={state.tone}>{state.word}</Tag>
                </td>
                <td className={table.wide}>{webhook.events.join(', ')}</td>
                <td className={`${table.number} ${table.wide}`}>
                  <Instant at={webhook.created_at} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
