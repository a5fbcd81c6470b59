import type { ApiKeyView, OperatorAccountDetail } from '@sigcast/contracts';
import { useParams } from 'wouter';
import { useOperatorAccount } from '../../api/operator-queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import cards from '../../ui/figure-card.module.css';
import { FigureCard } from '../../ui/figure-card.tsx';
import { count, exactTime } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Name } from '../../ui/name.tsx';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Ends } from '../profile/ends.tsx';
import { keyStates, LastUsed, visiblePart } from '../profile/key-facts.tsx';
import { AccountActions } from './account-actions.tsx';
import { AccountTags } from './account-tags.tsx';
import { LogSection } from './log-section.tsx';
import { OperatorFrame } from './operator-frame.tsx';

/** One account: what it is, its keys, and what operators did to it. */
export function AccountPage() {
  const { id = '' } = useParams<{ id: string }>();
  const account = useOperatorAccount(id);
  return (
    <OperatorFrame
      title={account.data?.email ?? 'Account'}
      description={account.data !== undefined && <AccountTags account={account.data} />}
      actions={account.data !== undefined && <AccountActions account={account.data} />}
    >
      <Loaded query={account} lines={6}>
        {(data) => (
          <>
            <Section title="Account">
              <About account={data} />
            </Section>
            <Section
              title="API keys"
              description="Only the beginning and the end of each key are stored."
              flush
            >
              <Keys keys={data.keys} />
            </Section>
            <LogSection account={data.id} title="Operator actions" />
          </>
        )}
      </Loaded>
    </OperatorFrame>
  );
}

function About({ account }: { account: OperatorAccountDetail }) {
  const { id, plan, created_at, live_keys, today } = account;
  return (
    <>
      <div className={cards.cards}>
        <FigureCard name="Requests today (UTC)" value={count(today.requests)} />
        <FigureCard name="Refused today" value={count(today.refused)} />
        <FigureCard name="Active keys" value={count(live_keys)} />
      </div>
      <Facts
        facts={[
          ['Plan', plan],
          ['Id', <code key="id">{id}</code>],
          ['Created', exactTime(created_at)],
        ]}
      />
    </>
  );
}

function Keys({ keys }: { keys: readonly ApiKeyView[] }) {
  if (keys.length === 0) return <Empty title="No keys">This account has not created an API key yet.</Empty>;
  return (
    <Table
      label="API keys"
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Key',
          wraps: true,
          cell: (key) => (
            <span className={table.named}>
              <Name>{key.name}</Name>
              <span className={table.code}>{visiblePart(key)}</span>
            </span>
          ),
        },
        {
          head: 'State',
          cell: ({ state }) => <Tag tone={keyStates[state].tone}>{keyStates[state].word}</Tag>,
        },
        { head: 'Environment', medium: '', cell: ({ environment }) => environment },
        { head: 'Last used', medium: 'Last used:', cell: (key) => <LastUsed apiKey={key} /> },
        { head: 'Created', wide: 'Created:', cell: ({ created_at: at }) => <Instant at={at} /> },
        { head: 'Expires', wide: true, cell: ({ expires_at: at }) => <Ends at={at} /> },
      ]}
    />
  );
}
