import { lazy, Suspense } from 'react';
import { loadFile } from '../../load-file.ts';
import { count, exactTime, profit } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { WhenSeen } from '../../ui/when-seen.tsx';
import { titleOf } from './backtest-words.ts';
import styles from './backtests.module.css';
import type { Compared } from './comparison.tsx';
import { curveOf } from './curves.ts';

const EquityChart = lazy(() => loadFile(() => import('./equity-chart.tsx')));

/** The profit of all trades together over time, and its drawdown: as a chart, and as a table. `other` is drawn over it. */
export function EquityCurve({ backtest, other }: { backtest: Compared; other: Compared | undefined }) {
  const curve = curveOf(backtest.result.equity);
  return (
    <Section
      title="Equity and drawdown"
      description="The profit of all trades together, held ones at their price of the time; below, how far it is under its highest value so far."
    >
      <p className={styles.legend}>
        <span>{other ? <bdi>{titleOf(backtest)}</bdi> : 'Profit'}</span>
        <span className={styles.realized}>
          {other ? (
            <>
              Realized by <bdi>{titleOf(backtest)}</bdi>
            </>
          ) : (
            'Realized'
          )}
        </span>
        {other && (
          <span className={styles.dashed}>
            <bdi>{titleOf(other)}</bdi>
          </span>
        )}
      </p>
      <WhenSeen className={styles.chart}>
        <Suspense>
          <EquityChart curve={curve} other={other && curveOf(other.result.equity)} />
        </Suspense>
      </WhenSeen>
      <details className={styles.figures}>
        <summary>Equity and drawdown in figures</summary>
        <Table
          label="Equity curve"
          rows={curve.toReversed()}
          keyOf={({ at }) => String(at)}
          inset
          className={styles.rows}
          region="Equity and drawdown, by time"
          columns={[
            { head: 'Time', wraps: true, cell: ({ at }) => exactTime(new Date(at).toISOString()) },
            { head: 'Profit', number: true, cell: (point) => profit(point.profit) },
            { head: 'Realized', number: true, medium: true, cell: ({ realized }) => profit(realized) },
            { head: 'Drawdown', number: true, cell: ({ drawdown }) => profit(-drawdown) },
            { head: 'Open positions', number: true, medium: true, cell: ({ open }) => count(open) },
          ]}
        />
      </details>
    </Section>
  );
}
