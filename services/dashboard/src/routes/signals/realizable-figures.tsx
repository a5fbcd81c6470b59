import type { RealizableStatistics } from '@sigcast/client';
import { count, share } from '../../ui/format.ts';
import { FigureCard } from './figure-card.tsx';
import styles from './realizable-figures.module.css';
import { Roi } from './roi.tsx';

/** What orders by the exit rule earned with the signals of a period, and how they were sold. */
export function RealizableFigures({ realizable }: { realizable: RealizableStatistics | undefined }) {
  if (realizable === undefined) {
    return <p className={styles.note}>What a fixed rule earned with these signals is being counted.</p>;
  }
  const { signals, avg_roi, profitable, by_exit: exits } = realizable;
  return (
    <div className={styles.figures}>
      <FigureCard
        name="Realizable ROI"
        anchor="average-realizable-roi"
        value={signals === 0 ? '–' : <Roi percent={avg_roi} />}
      />
      <FigureCard name="Profitable" anchor="profitable" value={signals === 0 ? '–' : share(profitable)} />
      <p className={styles.note}>
        {signals === 0
          ? 'The exit rule had no position with these signals.'
          : `${count(signals)} positions of $100 by the exit rule: ${count(exits.target)} sold at the target, ` +
            `${count(exits.stop)} at the stop, ${count(exits.end)} when their time was over or the signal was dead or rugged. ${count(exits.open)} open.`}
      </p>
    </div>
  );
}
