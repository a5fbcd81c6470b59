import { Anchor, SegmentedControl, Text } from '@mantine/core';
import type { Statistics } from '@sigcast/client';
import type { Period } from '@sigcast/contracts';
import { Link } from 'wouter';
import { useStatistics } from '../../api/queries.ts';
import { isNarrowed, type SignalFilter } from '../../api/signal-filter.ts';
import { FigureCard } from '../../ui/figure-card.tsx';
import { count, exactTime, share } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { RealizableCards, RealizableNote } from './realizable-figures.tsx';
import { Roi } from './roi.tsx';
import { keysOf, periodWords, typeWords } from './signal-words.ts';
import styles from './statistics-part.module.css';

/** The performance of a period's signals, in all and by type. Of the list's filters, one type is what the API counts by. */
export function StatisticsPart(props: {
  live: boolean;
  filter: SignalFilter;
  period: Period;
  onPeriod: (to: Period) => void;
}) {
  const { live, filter, period, onPeriod } = props;
  const [type, ...otherTypes] = filter.types;
  const counted = otherTypes.length === 0 ? type : undefined;
  const statistics = useStatistics(period, counted, { live });
  const ofType = counted === undefined ? 'All signals' : `${typeWords[counted]} signals`;
  const others = counted === undefined ? 'Filters' : 'Other filters';
  const follows = counted !== undefined && !isNarrowed({ ...filter, types: [] });
  return (
    <Section
      title={isNarrowed(filter) ? ofType : 'Performance'}
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Period"
          value={period}
          onChange={(value) => onPeriod(value as Period)}
          data={keysOf(periodWords).map((value) => ({ value, label: periodWords[value] }))}
        />
      }
    >
      <Loaded query={statistics} lines={1} lineHeight={58}>
        {(data) => (
          <Outdated busy={statistics.isPlaceholderData}>
            <Figures statistics={data} period={period} />
            {isNarrowed(filter) && !follows && (
              <p className={styles.covers}>{others} apply to the list only.</p>
            )}
            <details className={styles.more}>
              <summary>By type, and what could be realized</summary>
              <RealizableNote realizable={data.realizable} />
              <TypeTable statistics={data} />
              <Text size="xs" c="dimmed" mt="sm">
                Exact as of {exactTime(data.as_of)}.{' '}
                <Anchor component={Link} href="/definitions" size="xs">
                  How each figure is defined
                </Anchor>
              </Text>
            </details>
          </Outdated>
        )}
      </Loaded>
    </Section>
  );
}

function Figures({ statistics, period }: { statistics: Statistics; period: Period }) {
  return (
    <div className={styles.cards}>
      <FigureCard
        // The list below may have more, so this one says of which time it is.
        name={period === 'all' ? 'Signals' : `Signals, ${periodWords[period]}`}
        anchor="signals"
        value={count(statistics.total_signals)}
      />
      <FigureCard name="Winners" anchor="winners" value={count(statistics.winners)} />
      <FigureCard name="Win rate" anchor="win-rate" value={share(statistics.win_rate)} />
      <FigureCard name="Average ROI" anchor="average-roi" value={<Roi percent={statistics.avg_roi} />} />
      <FigureCard name="Best ROI now" anchor="best-roi" value={<Roi percent={statistics.best_roi} />} />
      <RealizableCards realizable={statistics.realizable} />
    </div>
  );
}

function TypeTable({ statistics }: { statistics: Statistics }) {
  const { realizable } = statistics;
  const rows = keysOf(typeWords).flatMap((type) => {
    const figures = statistics.by_type[type];
    return figures === undefined ? [] : [{ ...figures, type }];
  });
  const ofPositions: Column<(typeof rows)[number]> = {
    head: 'Realizable ROI',
    number: true,
    className: styles.realizable,
    cell: ({ type }) => {
      const positions = realizable?.by_type[type];
      return positions?.signals ? <Roi percent={positions.avg_roi} /> : '–';
    },
  };
  return (
    <Table
      label="By type"
      rows={rows}
      keyOf={({ type }) => type}
      inset
      columns={[
        { head: 'Type', cell: ({ type }) => typeWords[type] },
        { head: 'Signals', number: true, cell: ({ total }) => count(total) },
        { head: 'Winners', number: true, cell: ({ winners }) => count(winners) },
        { head: 'Win rate', number: true, cell: ({ win_rate: rate }) => share(rate) },
        ...(realizable ? [ofPositions] : []),
      ]}
    />
  );
}
