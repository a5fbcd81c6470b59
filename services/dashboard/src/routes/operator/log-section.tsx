import type { OperatorLogEntry } from '@sigcast/contracts';
import { Link } from 'wouter';
import { useOperatorLog } from '../../api/operator-queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Name } from '../../ui/name.tsx';
import { Section } from '../../ui/page.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { actionWords, factWords, whoDid } from './account-words.ts';
import styles from './operator.module.css';

/** What operators did, to one account or to all, newest first. */
export function LogSection({ account, title }: { account?: string; title: string }) {
  const log = useOperatorLog(account);
  return (
    <Section title={title} description="Entries are kept for two years." flush>
      <Loaded query={log}>
        {({ pages }) => (
          <>
            <LogTable entries={pages.flatMap((page) => page.entries)} ofOne={account !== undefined} />
            <ShowMore query={log} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function LogTable({ entries, ofOne }: { entries: readonly OperatorLogEntry[]; ofOne: boolean }) {
  if (entries.length === 0) {
    return (
      <Empty title="No actions yet">
        Actions of operators appear here, from these pages and from commands.
      </Empty>
    );
  }
  const account: Column<OperatorLogEntry> = {
    head: 'Account',
    wraps: true,
    medium: '',
    cell: (entry) => <Subject entry={entry} />,
  };
  return (
    <Table
      label="Log of operators"
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'What',
          className: styles.what,
          cell: (entry) => (
            <>
              {actionWords[entry.action]} <Change entry={entry} />
            </>
          ),
        },
        ...(ofOne ? [] : [account]),
        { head: 'Who', className: styles.who, wide: 'By:', cell: (entry) => <Name>{whoDid(entry)}</Name> },
        { head: 'When', number: true, cell: ({ at }) => <Instant at={at} /> },
      ]}
    />
  );
}

function Change({ entry: { before, after } }: { entry: OperatorLogEntry }) {
  const [from, to] = [factWords(before), factWords(after)];
  if (from === '' && to === '') return null;
  return <span className={styles.change}>{from === '' || to === '' ? from + to : `${from} → ${to}`}</span>;
}

function Subject({ entry: { account } }: { entry: OperatorLogEntry }) {
  if (account === null) return 'No account';
  if (account.email === null) return `Deleted account ${account.id}`;
  return (
    <Link href={`/operator/accounts/${account.id}`}>
      <Name>{account.email}</Name>
    </Link>
  );
}
