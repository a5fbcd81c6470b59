import type { OperatorWebhook } from '@sigcast/contracts';
import { Link } from 'wouter';
import { useFailingWebhooks } from '../../api/operator-queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import styles from './operator.module.css';
import { OperatorFrame } from './operator-frame.tsx';

/** Subscriptions of all accounts whose deliveries fail, or that were disabled for it. */
export function FailingWebhooksPage() {
  const webhooks = useFailingWebhooks();
  return (
    <OperatorFrame
      title="Failing webhooks"
      description="Webhooks of all accounts that are not suspended whose deliveries fail, longest failing first. Below them, webhooks that were disabled because of failures, newest first. At most 100 of each."
    >
      <Section title="Webhooks" description="Only the host of each address is shown." flush>
        <Loaded query={webhooks}>{(list) => <WebhookTable webhooks={list} />}</Loaded>
      </Section>
    </OperatorFrame>
  );
}

function WebhookTable({ webhooks }: { webhooks: readonly OperatorWebhook[] }) {
  if (webhooks.length === 0) {
    return (
      <Empty title="No failing webhooks">The deliveries of every webhook succeed or wait for a retry.</Empty>
    );
  }
  return (
    <div className={table.scroll}>
      <table className={table.table} aria-label="Failing webhooks">
        <thead>
          <tr>
            <th>Host</th>
            <th>State</th>
            <th className={table.medium}>Account</th>
            <th className={`${table.number} ${table.medium}`}>Since</th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <tr key={webhook.id}>
              <td className={styles.account}>
                {webhook.host}
                <span className={styles.id}>{webhook.id}</span>
                <span className={table.insteadOfMedium}>
                  <Owner webhook={webhook} />
                </span>
                <span className={table.insteadOfMedium}>
                  Since: <Since webhook={webhook} />
                </span>
              </td>
              <td>
                <State webhook={webhook} />
              </td>
              <td className={`${table.medium} ${styles.account}`}>
                <Owner webhook={webhook} />
              </td>
              <td className={`${table.number} ${table.medium}`}>
                <Since webhook={webhook} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function State({ webhook: { disabled } }: { webhook: OperatorWebhook }) {
  if (disabled === null) return <Tag tone="bad">Failing</Tag>;
  return (
    <Tag tone="neutral">{disabled.reason === 'gone' ? 'Disabled: gone (410)' : 'Disabled: failing'}</Tag>
  );
}

function Since({ webhook: { disabled, failing_since } }: { webhook: OperatorWebhook }) {
  const at = disabled?.at ?? failing_since;
  return at === null ? 'Unknown' : <Instant at={at} />;
}

function Owner({ webhook: { account, email } }: { webhook: OperatorWebhook }) {
  return email === null ? (
    `Deleted account ${account}`
  ) : (
    <Link href={`/operator/accounts/${account}`}>{email}</Link>
  );
}
