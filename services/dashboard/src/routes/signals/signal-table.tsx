import type { SignalListItem } from '@sigcast/client';
import { IconChevronDown, IconChevronUp, IconStarFilled } from '@tabler/icons-react';
import { Link } from 'wouter';
import { isNarrowed, type SignalFilter, type SignalSort, type SortKey } from '../../api/signal-filter.ts';
import { Empty } from '../../ui/empty.tsx';
import { count, usd } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { Roi } from './roi.tsx';
import { statusWords, typeWords } from './signal-words.ts';
import styles from './signals.module.css';

/** A page of signals, each with a link to its own page. `search` is the query of the list, which that page links back to. */
export function SignalTable(props: {
  signals: readonly SignalListItem[];
  filter: SignalFilter;
  search: string;
  onSort: (sort: SignalSort | null) => void;
}) {
  const { signals, filter, onSort } = props;
  if (signals.length === 0) return <NoSignals filter={filter} />;
  const header = (by: SortKey, name: string, className = table.number) => (
    <SortHeader by={by} name={name} className={className ?? ''} sort={filter.sort} onSort={onSort} />
  );
  const middle = `${table.number} ${table.medium}`;
  return (
    <div className={table.scroll} onPointerEnter={loadSignalPage}>
      <table className={table.table} aria-label="Signals">
        <thead>
          <tr>
            <th>Token</th>
            <th className={table.medium}>Type</th>
            <th>Status</th>
            {header('roi', 'ROI')}
            {header('ath_roi', 'Highest ROI', middle)}
            {header('mcap', 'Market cap', middle)}
            {header('liquidity', 'Liquidity', middle)}
            {header('holders', 'Holders', middle)}
            <th className={middle} aria-sort={filter.sort === null ? 'descending' : 'none'}>
              <button type="button" className={styles.sort} onClick={() => onSort(null)}>
                Created {filter.sort === null && <IconChevronDown size={12} aria-hidden />}
              </button>
            </th>
          </tr>
        </thead>
        <tbody>
          {signals.map((signal) => (
            <SignalRow key={signal.id} signal={signal} search={props.search} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Loads the page's file before a signal is opened. If that fails, it is loaded again when the page is rendered. */
function loadSignalPage(): void {
  import('./signal-page.tsx').catch(() => undefined);
}

/** The header of a column that sorts: first with the highest on top, then with the lowest, then not at all. */
function SortHeader(props: {
  by: SortKey;
  name: string;
  className: string;
  sort: SignalSort | null;
  onSort: (sort: SignalSort | null) => void;
}) {
  const { by, sort, onSort } = props;
  const chosen = sort?.by === by ? sort : undefined;
  const next =
    chosen === undefined ? { by, ascending: false } : chosen.ascending ? null : { by, ascending: true };
  const direction = chosen === undefined ? 'none' : chosen.ascending ? 'ascending' : 'descending';
  const Sign = chosen?.ascending ? IconChevronUp : IconChevronDown;
  return (
    <th className={props.className} aria-sort={direction}>
      <button type="button" className={styles.sort} onClick={() => onSort(next)}>
        {props.name}
        {chosen !== undefined && <Sign size={12} aria-hidden />}
      </button>
    </th>
  );
}

function NoSignals({ filter }: { filter: SignalFilter }) {
  const { token } = filter;
  if (!isNarrowed(filter))
    return <Empty title="No signals yet">The first signal appears here automatically.</Empty>;
  if (token === null)
    return <Empty title="No signals match these filters">Change or clear the filters.</Empty>;
  return (
    <Empty title={`No signals match “${token.text}”`}>
      {token.by === 'symbol'
        ? 'Enter the whole symbol, in upper or lower case. A text of 32 characters or more is searched as a contract address.'
        : 'Enter the whole contract address. Upper and lower case matter.'}
    </Empty>
  );
}

function SignalRow({ signal, search }: { signal: SignalListItem; search: string }) {
  const { token, metrics, performance } = signal;
  const status = statusWords[performance.status];
  return (
    <tr className={table.opens}>
      <td>
        <Link href={`/signals/${signal.id}`} state={{ list: search }} className={styles.token ?? ''}>
          <span className={styles.symbol}>
            {token.symbol}
            {signal.is_premium && (
              <IconStarFilled size={12} className={styles.premium ?? ''} aria-label="Premium" />
            )}
          </span>
          <span className={styles.name}>{token.name}</span>
          <span className={styles.type}>{typeWords[signal.type]}</span>
        </Link>
      </td>
      <td className={table.medium}>{typeWords[signal.type]}</td>
      <td>
        <Tag tone={status.tone}>{status.word}</Tag>
      </td>
      <td className={table.number}>
        <Roi percent={performance.roi} />
      </td>
      <td className={`${table.number} ${table.medium}`}>
        <Roi percent={performance.ath_roi} />
      </td>
      <td className={`${table.number} ${table.medium}`}>{usd(metrics.mcap_current)}</td>
      <td className={`${table.number} ${table.medium}`}>{usd(metrics.liquidity)}</td>
      <td className={`${table.number} ${table.medium}`}>{count(metrics.holders)}</td>
      <td className={`${table.number} ${table.medium} ${styles.created}`}>
        <Instant at={signal.created_at} />
      </td>
    </tr>
  );
}
