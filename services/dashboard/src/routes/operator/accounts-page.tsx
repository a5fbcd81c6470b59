import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { OperatorAccount } from '@sigcast/contracts';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useOperatorAccounts } from '../../api/operator-queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { Figure } from '../../ui/figure.tsx';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Name } from '../../ui/name.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Section } from '../../ui/page.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { AccountTags } from './account-tags.tsx';
import styles from './operator.module.css';
import { OperatorFrame } from './operator-frame.tsx';

/** The search begins so many milliseconds after the last key press. */
const typingPauseMs = 300;

/** All accounts, or those that the search in the page's address finds. */
export function AccountsPage() {
  const [params, setParams] = useSearchParams();
  const search = params.get('q') ?? '';
  const [typed, setTyped] = useState(search);
  const searchSoon = useDebouncedCallback(
    (text: string) => setParams(text === '' ? {} : { q: text }, { replace: true }),
    typingPauseMs,
  );
  const accounts = useOperatorAccounts(search);
  return (
    <OperatorFrame title="Operator" description="Only operators see these pages.">
      <Section
        title="Accounts"
        description={search === '' ? 'Newest first.' : 'Sorted by e-mail address.'}
        flush
        actions={
          <TextInput
            className={styles.search ?? ''}
            type="search"
            size="sm"
            aria-label="Search accounts"
            placeholder="Start of an e-mail address, or an id"
            leftSection={<IconSearch size={16} />}
            value={typed}
            onChange={({ currentTarget: { value } }) => {
              setTyped(value);
              searchSoon(value.trim());
            }}
          />
        }
      >
        <Loaded query={accounts} lines={8}>
          {({ pages }) => (
            <Outdated busy={accounts.isPlaceholderData}>
              <AccountTable accounts={pages.flatMap((page) => page.accounts)} search={search} />
              <ShowMore query={accounts} />
            </Outdated>
          )}
        </Loaded>
      </Section>
    </OperatorFrame>
  );
}

function AccountTable({ accounts, search }: { accounts: readonly OperatorAccount[]; search: string }) {
  if (accounts.length === 0) {
    return (
      <Empty title="No account found">
        No e-mail address begins with “{search}”, and no account has that id.
      </Empty>
    );
  }
  return (
    <Table
      label="Accounts"
      rows={accounts}
      keyOf={({ id }) => id}
      opens
      columns={[
        {
          head: 'Account',
          wraps: true,
          cell: ({ id, email }) => (
            <span className={table.named}>
              <Link href={`/operator/accounts/${id}`} className={table.title ?? ''}>
                <Name>{email}</Name>
              </Link>
              <span className={table.code}>{id}</span>
            </span>
          ),
        },
        { head: 'State', cell: (account) => <AccountTags account={account} /> },
        { head: 'Plan', medium: 'Plan:', cell: ({ plan }) => plan },
        {
          head: 'Requests today',
          number: true,
          medium: 'Requests today:',
          cell: ({ today }) => <Figure of={today.requests} />,
        },
        {
          head: 'Refused',
          number: true,
          wide: 'Refused:',
          cell: ({ today }) => <Figure of={today.refused} />,
        },
        { head: 'Keys', number: true, wide: 'Keys:', cell: ({ live_keys: keys }) => <Figure of={keys} /> },
        {
          head: 'Created',
          number: true,
          wide: 'Created:',
          cell: ({ created_at: at }) => <Instant at={at} />,
        },
      ]}
    />
  );
}
