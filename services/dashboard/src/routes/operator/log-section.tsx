import type { OperatorLogEntry } from '@sigcast/contracts';
import { Link } from 'wouter';
import { useOperatorLog } from '../../api/operator-queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { actionWords, factWords, whoDid } from './account-words.ts';
import styles from './operator.module.css';
import { ShowMore } from './show-more.tsx';

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
  return (
    <div className={table.scroll}>
      <table className={table.table} aria-label="Log of operators">
        <thead>
          <tr>
            <th>What</th>
            {!ofOne && <th className={table.medium}>Account</th>}
            <th className={table.wide}>Who</th>
            <th className={table.number}>When</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td className={styles.what}>
                {actionWords[entry.action]}
                <Change entry={entry} />
                {!ofOne && (
                  <span className={table.insteadOfMedium}>
                    <Subject entry={entry} />
                  </span>
                )}
                <span className={table.insteadOfWide}>By: {whoDid(entry)}</span>
              </td>
              {!ofOne && (
                <td className={`${table.medium} ${styles.account}`}>
                  <Subject entry={entry} />
                </td>
              )}
              <td className={`${table.wide} ${styles.who}`}>{whoDid(entry)}</td>
              <td className={table.number}>
                <Instant at={entry.at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Change({ entry: { before, after } }: { entry: OperatorLogEntry }) {
  const [from, to] = [factWords(before), factWords(after)];
  if (from === '' && to === '') return null;
  return <span className={styles.id}>{from === '' || to === '' ? from + to : `${from} → ${to}`}</span>;
}

function Subject({ entry: { account } }: { entry: OperatorLogEntry }) {
  if (account === null) return 'No account';
  if (account.email === null) return `Deleted account ${account.id}`;
  return <Link href={`/operator/accounts/${account.id}`}>{account.email}</Link>;
}
