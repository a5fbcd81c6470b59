import type { SignalListItem } from '@sigcast/client';
import type { SortFigure } from '@sigcast/contracts';
import { IconChevronDown, IconStarFilled } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { isNarrowed, type SignalFilter } from '../../api/signal-filter.ts';
import { Empty } from '../../ui/empty.tsx';
import { count, usd } from '../../ui/format.ts';
import { Gauge } from '../../ui/gauge.tsx';
import { Instant } from '../../ui/instant.tsx';
import { Table } from '../../ui/table.tsx';
import { Roi } from './roi.tsx';
import { typeWords } from './signal-words.ts';
import styles from './signals.module.css';
import { StatusTag } from './status-tag.tsx';

/**
 * A page of signals, each with a link to its own page. `search` is the query of the list, which that page links back to. Where
 * one is selected, a link selects its signal first, and opens it then.
 */
export function SignalTable(props: {
  signals: readonly SignalListItem[];
  filter: SignalFilter;
  search: string;
  selected: string | undefined;
  onSelect: (id: string) => void;
  onSort: (sort: SortFigure | null) => void;
}) {
  const { signals, filter, selected, onSort } = props;
  // Signals that were created since wash in when they appear.
  const [openedAtMs] = useState(Date.now);
  if (signals.length === 0) return <NoSignals filter={filter} />;
  const figure = (by: SortFigure, name: string, cell: (signal: SignalListItem) => ReactNode) => ({
    ...sortable(by, name, filter.sort, onSort),
    number: true,
    cell,
  });
  return (
    <div onPointerEnter={loadSignalPage}>
      <Table
        label="Signals"
        rows={signals}
        keyOf={({ id }) => id}
        opens
        rowClass={({ id, created_at: at }) =>
          id === selected ? styles.selected : Date.parse(at) > openedAtMs ? styles.fresh : undefined
        }
        columns={[
          {
            head: 'Token',
            cell: (signal) => (
              <Token
                signal={signal}
                search={props.search}
                isSelected={signal.id === selected}
                onSelect={selected === undefined ? undefined : () => props.onSelect(signal.id)}
              />
            ),
          },
          {
            head: 'Entry to peak',
            wide: true,
            cell: ({ performance: { roi, ath_roi } }) => <Gauge roi={roi} athRoi={ath_roi} />,
          },
          { head: 'Type', medium: '', cell: ({ type }) => typeWords[type] },
          { head: 'Status', cell: ({ performance }) => <StatusTag {...performance} /> },
          figure('roi', 'ROI', ({ performance }) => <Roi percent={performance.roi} />),
          {
            ...figure('ath_roi', 'Highest ROI', ({ performance }) => (
              <Roi percent={performance.ath_roi} isPeak />
            )),
            medium: true,
          },
          {
            ...figure('mcap_current', 'Market cap', ({ metrics }) => usd(metrics.mcap_current)),
            medium: true,
          },
          { ...figure('liquidity', 'Liquidity', ({ metrics }) => usd(metrics.liquidity)), medium: true },
          { head: 'Holders', number: true, medium: true, cell: ({ metrics }) => count(metrics.holders) },
          {
            ...sortable(null, 'Created', filter.sort, onSort),
            number: true,
            medium: true,
            className: styles.created,
            cell: ({ created_at: at }) => <Instant at={at} />,
          },
        ]}
      />
    </div>
  );
}

/** Loads the page's file before a signal is opened. If that fails, it is loaded again when the page is rendered. */
function loadSignalPage(): void {
  import('./signal-page.tsx').catch(() => undefined);
}

/** The head of a column by which the list can be sorted, the highest first. Null is the time of creation. */
function sortable(
  by: SortFigure | null,
  name: string,
  sort: SortFigure | null,
  onSort: (sort: SortFigure | null) => void,
) {
  const chosen = sort === by;
  return {
    sort: chosen ? 'descending' : 'none',
    head: (
      <button type="button" className={styles.sort} onClick={() => onSort(chosen ? null : by)}>
        {name} {chosen && <IconChevronDown size={12} aria-hidden />}
      </button>
    ),
  } as const;
}

function NoSignals({ filter }: { filter: SignalFilter }) {
  const { token } = filter;
  if (!isNarrowed(filter))
    return <Empty title="No signals yet">The first signal appears here automatically.</Empty>;
  if (token === null)
    return <Empty title="No signals match these filters">Change or clear the filters.</Empty>;
  return (
    <Empty title={`No signals match “${token.text}”`}>
      {token.by === 'search'
        ? 'A symbol or a name has to begin so, in upper or lower case. A text of 32 characters or more is searched as a contract address.'
        : 'Enter the whole contract address. Upper and lower case matter.'}
    </Empty>
  );
}

function Token(props: {
  signal: SignalListItem;
  search: string;
  isSelected: boolean;
  onSelect: (() => void) | undefined;
}) {
  const { isSelected, onSelect } = props;
  const { id, token, is_premium } = props.signal;
  return (
    <Link
      href={`/signals/${id}`}
      state={{ list: props.search }}
      className={styles.token ?? ''}
      aria-current={isSelected || undefined}
      onClick={(event) => {
        if (isSelected || onSelect === undefined) return;
        event.preventDefault();
        onSelect();
      }}
    >
      <span className={styles.symbol}>
        <bdi title={token.symbol}>{token.symbol}</bdi>
        {is_premium && <IconStarFilled size={12} className={styles.premium ?? ''} aria-label="Premium" />}
      </span>
      <bdi className={styles.name} title={token.name}>
        {token.name}
      </bdi>
    </Link>
  );
}
