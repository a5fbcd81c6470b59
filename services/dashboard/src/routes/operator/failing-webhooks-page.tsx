import type { OperatorWebhook } from '@sigcast/contracts';
import { Link } from 'wouter';
import { useFailingWebhooks } from '../../api/operator-queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Name } from '../../ui/name.tsx';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Tag } from '../../ui/tag.tsx';
import { OperatorFrame } from './operator-frame.tsx';

/** Webhooks of all accounts whose deliveries fail, or that were disabled for it. */
export function FailingWebhooksPage() {
  const webhooks = useFailingWebhooks();
  return (
    <OperatorFrame
      title="Failing webhooks"
      description="The longest failing first, then those disabled because of failures; at most 100 of each. Webhooks of suspended accounts are left out."
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
    <Table
      label="Failing webhooks"
      rows={webhooks}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Host',
          wraps: true,
          cell: ({ id, host }) => (
            <span className={table.named}>
              <Name>{host}</Name>
              <span className={table.code}>{id}</span>
            </span>
          ),
        },
        { head: 'State', cell: (webhook) => <State webhook={webhook} /> },
        { head: 'Account', wraps: true, medium: '', cell: (webhook) => <Owner webhook={webhook} /> },
        { head: 'Since', number: true, medium: 'Since:', cell: (webhook) => <Since webhook={webhook} /> },
      ]}
    />
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
    <Link href={`/operator/accounts/${account}`}>
      <Name>{email}</Name>
    </Link>
  );
}
