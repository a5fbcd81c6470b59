import { ActionIcon, VisuallyHidden } from '@mantine/core';
import type { BacktestListItem } from '@sigcast/client';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { Empty } from '../../ui/empty.tsx';
import { count, share } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { Roi } from '../signals/roi.tsx';
import { BacktestProgress } from './backtest-progress.tsx';
import { backtestWords, ruleOf, spanOf } from './backtest-words.ts';
import styles from './backtests.module.css';
import { DeleteBacktest } from './delete-backtest.tsx';
import { Profit } from './profit.tsx';
import { isUnfinished } from './refresh.ts';

/** A page of backtests, each with a link to its own page. */
export function BacktestTable({ backtests }: { backtests: readonly BacktestListItem[] }) {
  const [doomed, setDoomed] = useState<BacktestListItem>();
  if (backtests.length === 0) {
    return (
      <Empty title="No backtests yet">
        Start a backtest above to see what a rule would have earned with signals of the past.
      </Empty>
    );
  }
  return (
    <div className={table.scroll}>
      <table className={table.table} aria-label="Backtests">
        <thead>
          <tr>
            <th>Signals and rule</th>
            <th className={table.medium}>Status</th>
            <th className={`${table.number} ${table.medium}`}>Trades</th>
            <th className={table.number}>Mean result</th>
            <th className={`${table.number} ${table.medium}`}>Profit</th>
            <th className={`${table.number} ${table.medium}`}>Profitable</th>
            <th className={`${table.number} ${table.wide}`}>Created</th>
            <th>
              <VisuallyHidden>Actions</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {backtests.map((backtest) => (
            <BacktestRow key={backtest.id} backtest={backtest} onDelete={() => setDoomed(backtest)} />
          ))}
        </tbody>
      </table>
      <DeleteBacktest backtest={doomed} onClose={() => setDoomed(undefined)} />
    </div>
  );
}

function BacktestRow({ backtest, onDelete }: { backtest: BacktestListItem; onDelete: () => void }) {
  const { id, parameters, status, progress, result } = backtest;
  const { word, tone } = backtestWords[status];
  // Without trades there is no mean of them.
  const trades = result === null || result.trades === 0 ? null : result;
  const state = (
    <>
      <Tag tone={tone}>{word}</Tag>
      {isUnfinished(backtest) && <BacktestProgress progress={progress} />}
    </>
  );
  return (
    <tr className={table.opens}>
      <td className={styles.what}>
        <Link href={`/backtests/${id}`} className={styles.link ?? ''}>
          {spanOf(parameters)}
        </Link>
        <div className={table.insteadOfMedium}>{state}</div>
        <span className={styles.words}>{ruleOf(parameters)}</span>
        <span className={table.insteadOfWide}>
          Created <Instant at={backtest.created_at} />
        </span>
        {result !== null && (
          <div className={table.insteadOfMedium}>
            {count(result.trades)} {result.trades === 1 ? 'trade' : 'trades'}
            {trades !== null && (
              <>
                , <Profit usd={trades.profit_usd} />, {share(trades.profitable)} profitable
              </>
            )}
          </div>
        )}
      </td>
      <td className={table.medium}>{state}</td>
      <td className={`${table.number} ${table.medium}`}>{result === null ? '–' : count(result.trades)}</td>
      <td className={table.number}>{trades === null ? '–' : <Roi percent={trades.avg_roi} />}</td>
      <td className={`${table.number} ${table.medium}`}>
        {trades === null ? '–' : <Profit usd={trades.profit_usd} />}
      </td>
      <td className={`${table.number} ${table.medium}`}>
        {trades === null ? '–' : share(trades.profitable)}
      </td>
      <td className={`${table.number} ${table.wide}`}>
        <Instant at={backtest.created_at} />
      </td>
      <td className={table.number}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Delete the backtest of ${spanOf(parameters)}`}
          onClick={onDelete}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </td>
    </tr>
  );
}
