import type { BacktestResult } from '@sigcast/client';
import { lazy, Suspense } from 'react';
import { loadFile } from '../../load-file.ts';
import styles from '../../ui/chart-and-table.module.css';
import { count, exactTime, profit } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { WhenSeen } from '../../ui/when-seen.tsx';

const EquityChart = lazy(() => loadFile(() => import('./equity-chart.tsx')));

type Equity = BacktestResult['equity'];

/** The profit of all trades together over time, as a chart and as a table. */
export function EquityCurve({ equity }: { equity: Equity }) {
  return (
    <Section
      title="Equity curve"
      description="The profit of all trades together. What was not sold yet counts as if sold then."
    >
      <div className={styles.both}>
        <WhenSeen className={styles.chart}>
          <Suspense>
            <EquityChart equity={equity} />
          </Suspense>
        </WhenSeen>
        <EquityTable equity={equity} />
      </div>
    </Section>
  );
}

/** The chart's figures, newest first. */
function EquityTable({ equity: { points } }: { equity: Equity }) {
  return (
    <Table
      label="Equity curve"
      rows={points.toReversed()}
      keyOf={({ at }) => at}
      inset
      className={styles.table}
      region="Profit, by time"
      columns={[
        { head: 'Time', cell: ({ at }) => exactTime(at) },
        { head: 'Profit', number: true, cell: ({ profit_usd: usd }) => profit(usd) },
        { head: 'Open positions', number: true, cell: ({ open }) => count(open) },
      ]}
    />
  );
}
