import type { BacktestResult } from '@sigcast/client';
import { useState } from 'react';
import { count, plural, share } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { Roi } from '../signals/roi.tsx';
import styles from './histogram.module.css';

type Bar = BacktestResult['histogram'][number];

/** Labels below the bars, at most: so many have room on a phone. */
const mostLabels = 5;

/** Trades by their results: bars from the lowest result to the highest, with the median. */
export function Histogram({ result: { histogram: bars, trades, roi } }: { result: BacktestResult }) {
  const [pointedAt, setPointedAt] = useState<Bar>();
  const most = Math.max(...bars.map((bar) => bar.trades));
  const losses = bars.reduce((sum, bar) => sum + (bar.from < 0 ? bar.trades : 0), 0);
  const placeOf = (percent: number) => {
    const n = bars.findIndex(({ to }) => to === null || percent < to);
    const { from = 0, to = null } = bars[n] ?? {};
    return ((n + (to === null ? 0.5 : (percent - from) / (to - from))) / bars.length) * 100;
  };
  const median = placeOf(roi.median);
  // The edges at which a label stands: the 0 between gains and losses is one of them, if there are both.
  const every = Math.ceil(bars.length / mostLabels);
  const zero = Math.max(
    0,
    bars.findIndex(({ from }) => from >= 0),
  );
  return (
    <Section title="Distribution" description="How many trades had which result. The line is the median.">
      <div aria-hidden onPointerLeave={() => setPointedAt(undefined)}>
        <p className={styles.read}>
          {pointedAt && `${rangeOf(pointedAt)} · ${count(pointedAt.trades)} of ${plural(trades, 'trade')}`}
        </p>
        <div className={styles.bars}>
          {bars.map((bar) => (
            <div key={bar.from} className={styles.bar} onPointerEnter={() => setPointedAt(bar)}>
              <div
                className={bar.from < 0 ? styles.loss : styles.gain}
                style={{ height: `${(bar.trades / most) * 100}%` }}
              />
            </div>
          ))}
          <div className={styles.median} style={{ left: `${median}%` }}>
            <span className={median > 50 ? styles.before : styles.behind}>
              Median <Roi percent={roi.median} />
            </span>
          </div>
        </div>
        <div className={styles.edges}>
          {bars.map(
            ({ from }, n) =>
              (n - zero) % every === 0 && (
                <span key={from} style={{ left: `${(n / bars.length) * 100}%` }}>
                  {signed(from)}
                </span>
              ),
          )}
        </div>
      </div>
      <p className={styles.words}>
        {count(losses)} below 0% ({share((losses / trades) * 100)}), {count(trades - losses)} at 0% or above.
        {bars.at(-1)?.to === null && ` The last bar has all from ${signed(bars.at(-1)?.from ?? 0)} on.`}
      </p>
    </Section>
  );
}

function rangeOf({ from, to }: Bar): string {
  return to === null ? `${signed(from)} or more` : `${signed(from)} to ${signed(to)}`;
}

/** A whole number of percent, with its sign. */
const signed = (percent: number) =>
  `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${count(Math.abs(percent))}%`;
