import type { BacktestResult, BacktestTrade } from '@sigcast/client';
import { Link } from 'wouter';
import { exactTime } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Roi } from '../signals/roi.tsx';
import { typeWords } from '../signals/signal-words.ts';
import { tradeExitWords } from './backtest-words.ts';
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
    <Table
      label={name}
      rows={trades}
      keyOf={({ signal_id: id }) => id}
      opens
      columns={[
        {
          head: 'Signal',
          wraps: true,
          cell: (trade) => (
            <>
              <Link href={`/signals/${trade.signal_id}`} className={table.title ?? ''}>
                {trade.symbol}
              </Link>
              <span className={table.small}>{typeWords[trade.type]}</span>
            </>
          ),
        },
        { head: 'Bought', wraps: true, medium: true, cell: ({ entered_at: at }) => exactTime(at) },
        {
          head: 'Sold',
          wraps: true,
          medium: true,
          cell: ({ exited_at: at }) => (at === null ? 'Not sold' : exactTime(at)),
        },
        { head: 'Exit', wraps: true, cell: ({ exit }) => tradeExitWords[exit ?? 'open'] },
        { head: 'Result', number: true, cell: ({ roi }) => <Roi percent={roi} /> },
        { head: 'Profit', number: true, medium: true, cell: ({ profit_usd: usd }) => <Profit usd={usd} /> },
      ]}
    />
  );
}
