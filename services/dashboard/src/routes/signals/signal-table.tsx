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
import { Usd } from '../../ui/usd.tsx';
import { Roi } from './roi.tsx';
import { typeWords } from './signal-words.ts';
import styles from './signals.module.css';
import { StatusTag } from './status-tag.tsx';
import type { FromList } from './use-way-back.ts';

/**
 * A page of signals, each with a link to its own page. `from` is what that page links back to. Where one is selected, a link
 * selects its signal first, and opens it then.
 */
export function SignalTable(props: {
  signals: readonly SignalListItem[];
  filter: SignalFilter;
  from: FromList;
  selected: string | undefined;
  onSelect: (id: string) => void;
  onSort: (sort: SortFigure | null) => void;
}) {
  const { signals, filter, from, selected, onSort } = props;
  // Signals that were created since wash in when they appear.
  const [openedAtMs] = useState(Date.now);
  if (signals.length === 0) return <NoSignals filter={filter} />;
  const figure = (by: SortFigure, name: ReactNode, cell: (signal: SignalListItem) => ReactNode) => ({
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
                from={from}
                isSelected={signal.id === selected}
                isPreviewed={selected !== undefined}
                onSelect={() => props.onSelect(signal.id)}
              />
            ),
          },
          {
            ...sortable(null, 'Age', filter.sort, onSort),
            number: true,
            medium: true,
            cell: ({ created_at: at }) => <Instant at={at} isAge />,
          },
          {
            head: 'Type',
            medium: '',
            cell: ({ type, created_at: at, metrics }) => (
              <>
                {typeWords[type]}
                <span className={styles.below}>
                  {' '}
                  · <Instant at={at} isAge /> · {usd(metrics.mcap_entry)}
                </span>
              </>
            ),
          },
          {
            head: 'Entry to peak',
            wide: true,
            className: styles.gauge,
            cell: ({ performance: { roi, ath_roi } }) => <Gauge roi={roi} athRoi={ath_roi} />,
          },
          {
            head: 'Entry cap',
            number: true,
            medium: true,
            cell: ({ metrics }) => <Usd amount={metrics.mcap_entry} aligned />,
          },
          {
            ...figure('mcap_current', 'Cap now', ({ metrics }) => (
              <Usd amount={metrics.mcap_current} aligned />
            )),
            medium: true,
          },
          figure(
            'roi',
            <span>
              ROI<span className={styles.below}>, peak</span>
            </span>,
            ({ performance: { roi, ath_roi } }) => (
              <>
                <Roi percent={roi} />
                <span className={styles.below}>
                  <br />
                  <Roi percent={ath_roi} isPeak />
                </span>
              </>
            ),
          ),
          {
            ...figure('ath_roi', 'Peak ROI', ({ performance }) => (
              <Roi percent={performance.ath_roi} isPeak />
            )),
            medium: true,
          },
          {
            head: 'Status',
            className: styles.status,
            cell: ({ performance }) => <StatusTag {...performance} />,
          },
          {
            ...figure('liquidity', 'Liquidity', ({ metrics }) => <Usd amount={metrics.liquidity} aligned />),
            wide: true,
          },
          { head: 'Holders', number: true, wide: true, cell: ({ metrics }) => count(metrics.holders) },
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
  name: ReactNode,
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
  from: FromList;
  isSelected: boolean;
  /** Whether a link selects its signal first. */
  isPreviewed: boolean;
  onSelect: () => void;
}) {
  const { isSelected, isPreviewed, onSelect } = props;
  const { id, token, is_premium } = props.signal;
  return (
    <Link
      href={`/signals/${id}`}
      state={props.from}
      className={styles.token ?? ''}
      aria-current={isSelected || undefined}
      onClick={(event) => {
        if (isSelected) return;
        if (isPreviewed) event.preventDefault();
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
