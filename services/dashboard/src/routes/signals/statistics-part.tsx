import { SegmentedControl } from '@mantine/core';
import type { Statistics } from '@sigcast/client';
import type { Period } from '@sigcast/contracts';
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { useStatistics } from '../../api/queries.ts';
import { loadFile } from '../../load-file.ts';
import { count, exactTime, share } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { WhenSeen } from '../../ui/when-seen.tsx';
import { FigureCard } from './figure-card.tsx';
import { RealizableFigures } from './realizable-figures.tsx';
import { Roi } from './roi.tsx';
import { keysOf, periodWords, typeWords } from './signal-words.ts';
import styles from './statistics-part.module.css';

const TypeChart = lazy(() => loadFile(() => import('./type-chart.tsx')));

/** The performance of a period's signals, in all and by type. */
export function StatisticsPart(props: { live: boolean; period: Period; onPeriod: (to: Period) => void }) {
  const { live, period, onPeriod } = props;
  const statistics = useStatistics(period, { live });
  return (
    <Section
      title="Performance"
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
      <Loaded query={statistics} lines={3} lineHeight={72}>
        {(data) => (
          <Outdated busy={statistics.isPlaceholderData}>
            <Figures statistics={data} />
            <RealizableFigures realizable={data.realizable} />
            <div className={styles.types}>
              <WhenSeen className={styles.chart}>
                <Suspense>
                  <TypeChart statistics={data} />
                </Suspense>
              </WhenSeen>
              <TypeTable statistics={data} />
            </div>
            <p className={styles.asOf}>
              Exact as of {exactTime(data.as_of)}. <Link href="/definitions">How each figure is defined</Link>
            </p>
          </Outdated>
        )}
      </Loaded>
    </Section>
  );
}

function Figures({ statistics }: { statistics: Statistics }) {
  return (
    <div className={styles.cards}>
      <FigureCard name="Signals" anchor="signals" value={count(statistics.total_signals)} />
      <FigureCard name="Winners" anchor="winners" value={count(statistics.winners)} />
      <FigureCard name="Win rate" anchor="win-rate" value={share(statistics.win_rate)} />
      <FigureCard name="Average ROI" anchor="average-roi" value={<Roi percent={statistics.avg_roi} />} />
      <FigureCard name="Best ROI" anchor="best-roi" value={<Roi percent={statistics.best_roi} />} />
    </div>
  );
}

function TypeTable({ statistics }: { statistics: Statistics }) {
  return (
    <table className={`${table.table} ${table.inset} ${styles.table}`} aria-label="By type">
      <thead>
        <tr>
          <th>Type</th>
          <th className={table.number}>Signals</th>
          <th className={table.number}>Winners</th>
          <th className={table.number}>Win rate</th>
          {statistics.realizable && (
            <th className={`${table.number} ${styles.realizable}`}>Realizable ROI</th>
          )}
        </tr>
      </thead>
      <tbody>
        {keysOf(typeWords).map((type) => {
          const figures = statistics.by_type[type] ?? { total: 0, winners: 0, win_rate: 0 };
          const positions = statistics.realizable?.by_type[type];
          return (
            <tr key={type}>
              <td>{typeWords[type]}</td>
              <td className={table.number}>{count(figures.total)}</td>
              <td className={table.number}>{count(figures.winners)}</td>
              <td className={table.number}>{share(figures.win_rate)}</td>
              {positions && (
                <td className={`${table.number} ${styles.realizable}`}>
                  {positions.signals === 0 ? '–' : <Roi percent={positions.avg_roi} />}
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
