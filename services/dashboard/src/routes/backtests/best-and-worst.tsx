import type { BacktestResult, BacktestTrade } from '@sigcast/client';
import { Link } from 'wouter';
import { exactTime } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { Roi } from '../signals/roi.tsx';
import { typeWords } from '../signals/signal-words.ts';
import { tradeExitWords } from './backtest-words.ts';
import styles from './backtests.module.css';
import { Profit } from './profit.tsx';

/** The best and the worst trades, each with a link to its signal. */
export function BestAndWorst({ result: { best, worst } }: { result: BacktestResult }) {
  return (
    <>
      <Section title="Best trades" flush>
        <TradeTable name="Best trades" trades={best} />
      </Section>
      <Section title="Worst trades" flush>
        <TradeTable name="Worst trades" trades={worst} />
      </Section>
    </>
  );
}

function TradeTable({ name, trades }: { name: string; trades: readonly BacktestTrade[] }) {
  return (
    <div className={table.scroll}>
      <table className={table.table} aria-label={name}>
        <thead>
          <tr>
            <th>Signal</th>
            <th className={table.medium}>Bought</th>
            <th className={table.medium}>Sold</th>
            <th>Exit</th>
            <th className={table.number}>Result</th>
            <th className={`${table.number} ${table.medium}`}>Profit</th>
          </tr>
        </thead>
        <tbody>
          {trades.map((trade) => (
            <tr key={trade.signal_id} className={table.opens}>
              <td className={styles.what}>
                <Link href={`/signals/${trade.signal_id}`} className={styles.link ?? ''}>
                  {trade.symbol}
                </Link>
                <span className={styles.words}>{typeWords[trade.type]}</span>
              </td>
              <td className={`${table.medium} ${styles.what}`}>{exactTime(trade.entered_at)}</td>
              <td className={`${table.medium} ${styles.what}`}>
                {trade.exited_at === null ? 'Not sold' : exactTime(trade.exited_at)}
              </td>
              <td className={styles.what}>{tradeExitWords[trade.exit ?? 'open']}</td>
              <td className={table.number}>
                <Roi percent={trade.roi} />
              </td>
              <td className={`${table.number} ${table.medium}`}>
                <Profit usd={trade.profit_usd} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
