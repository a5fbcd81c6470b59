import type { BacktestResult } from '@sigcast/client';
import { lazy, Suspense } from 'react';
import { loadFile } from '../../load-file.ts';
import { count, exactTime, profit } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { WhenSeen } from '../../ui/when-seen.tsx';
import styles from './backtest-page.module.css';

const EquityChart = lazy(() => loadFile(() => import('./equity-chart.tsx')));

type Equity = BacktestResult['equity'];

/** The profit of all trades together over time, as a chart and as a table. */
export function EquityCurve({ equity }: { equity: Equity }) {
  return (
    <Section
      title="Equity curve"
      description="The profit of all trades together. What was not sold yet counts as if sold then."
    >
      <div className={styles.curve}>
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

/** The chart's figures, newest first. It scrolls, so it can be reached with the keyboard. */
function EquityTable({ equity: { points } }: { equity: Equity }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard (WCAG 2.1.1).
    <section className={`${table.scroll} ${styles.points}`} aria-label="Profit, by time" tabIndex={0}>
      <table className={`${table.table} ${table.inset}`} aria-label="Equity curve">
        <thead>
          <tr>
            <th>Time</th>
            <th className={table.number}>Profit</th>
            <th className={table.number}>Open positions</th>
          </tr>
        </thead>
        <tbody>
          {[...points].reverse().map((point) => (
            <tr key={point.at}>
              <td>{exactTime(point.at)}</td>
              <td className={table.number}>{profit(point.profit_usd)}</td>
              <td className={table.number}>{count(point.open)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
