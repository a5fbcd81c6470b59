import { Progress } from '@mantine/core';
import type { BacktestListItem } from '@sigcast/client';
import { count, plural } from '../../ui/format.ts';
import styles from './backtests.module.css';

/** How many of its signals a backtest has processed. */
export function BacktestProgress({ progress: { done, total } }: Pick<BacktestListItem, 'progress'>) {
  return (
    <div className={styles.progress}>
      <Progress value={total === 0 ? 0 : (done / total) * 100} size="sm" aria-label="Signals gone through" />
      <span className={styles.words}>
        {count(done)} of {plural(total, 'signal')}
      </span>
    </div>
  );
}
