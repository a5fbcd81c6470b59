import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { OperatorAccount } from '@sigcast/contracts';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useOperatorAccounts } from '../../api/operator-queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { count } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { AccountTags } from './account-tags.tsx';
import styles from './operator.module.css';
import { OperatorFrame } from './operator-frame.tsx';
import { ShowMore } from './show-more.tsx';

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
    <OperatorFrame
      title="Operator"
      description="All accounts. Only accounts marked as operators see these pages."
    >
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
    <div className={table.scroll}>
      <table className={table.table} aria-label="Accounts">
        <thead>
          <tr>
            <th>Account</th>
            <th>State</th>
            <th className={table.medium}>Plan</th>
            <th className={`${table.number} ${table.medium}`}>Requests today</th>
            <th className={`${table.number} ${table.wide}`}>Keys</th>
            <th className={`${table.number} ${table.wide}`}>Created</th>
          </tr>
        </thead>
        <tbody>
          {accounts.map((account) => (
            <Row key={account.id} account={account} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ account }: { account: OperatorAccount }) {
  const { id, email, plan, created_at, live_keys, today } = account;
  const requests = (
    <>
      {count(today.requests)}
      {today.refused > 0 && ` (${count(today.refused)} refused)`}
    </>
  );
  return (
    <tr className={table.opens}>
      <td className={styles.account}>
        <Link href={`/operator/accounts/${id}`} className={styles.email ?? ''}>
          {email}
        </Link>
        <span className={styles.id}>{id}</span>
        <span className={table.insteadOfMedium}>Plan {plan}</span>
        <span className={table.insteadOfMedium}>Requests today: {requests}</span>
        <span className={table.insteadOfWide}>Keys: {count(live_keys)}</span>
        <span className={table.insteadOfWide}>
          Created: <Instant at={created_at} />
        </span>
      </td>
      <td>
        <AccountTags account={account} />
      </td>
      <td className={table.medium}>{plan}</td>
      <td className={`${table.number} ${table.medium}`}>{requests}</td>
      <td className={`${table.number} ${table.wide}`}>{count(live_keys)}</td>
      <td className={`${table.number} ${table.wide}`}>
        <Instant at={created_at} />
      </td>
    </tr>
  );
}
