import { SegmentedControl } from '@mantine/core';
import type { SignalHistory as History, Signal } from '@sigcast/client';
import { lazy, Suspense, useState } from 'react';
import { loadFile } from '../../load-file.ts';
import { Empty } from '../../ui/empty.tsx';
import { count, exactTime, exactUsd, usd } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { WhenSeen } from '../../ui/when-seen.tsx';
import { marksOf } from './history-points.ts';
import styles from './signal-history.module.css';
import { type HistorySpan, useSignalHistory } from './signal-queries.ts';
import { keysOf, spanWords } from './signal-words.ts';

const HistoryChart = lazy(() => loadFile(() => import('./history-chart.tsx')));

type Props = { readonly signal: Signal; readonly live: boolean };

/** Market cap and liquidity of a signal over time. Loaded when it comes into view. */
export function SignalHistory({ signal, live }: Props) {
  const [span, setSpan] = useState<HistorySpan>('all');
  return (
    <Section
      title="History"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Time range"
          value={span}
          onChange={(value) => setSpan(value as HistorySpan)}
          data={keysOf(spanWords).map((value) => ({ value, label: spanWords[value] }))}
        />
      }
    >
      <WhenSeen className={styles.place}>
        <OfSpan signal={signal} span={span} live={live} />
      </WhenSeen>
    </Section>
  );
}

function OfSpan({ signal, span, live }: Props & { span: HistorySpan }) {
  const history = useSignalHistory(signal, span, { live });
  return (
    <Loaded query={history} lines={3} lineHeight={90}>
      {(data) => (
        <Outdated busy={history.isPlaceholderData}>
          {data === 'not yet' ? (
            <Empty title="No history yet">The first observation appears here within seconds.</Empty>
          ) : data === 'never recorded' ? (
            <Empty title="No history was recorded for this signal" />
          ) : data.buckets.length === 0 ? (
            <Empty title="No observations in this time range">Choose a longer one to see earlier ones.</Empty>
          ) : (
            <Course history={data} />
          )}
        </Outdated>
      )}
    </Loaded>
  );
}

function Course({ history }: { history: History }) {
  return (
    <>
      <ul className={styles.marks}>
        {marksOf(history).map((mark) => (
          <li key={mark}>{mark}</li>
        ))}
      </ul>
      <div className={styles.course}>
        <div className={styles.chart}>
          <Suspense>
            <HistoryChart history={history} />
          </Suspense>
        </div>
        <HistoryTable history={history} />
      </div>
    </>
  );
}

/** The chart's figures, newest first. It scrolls, so it can be reached with the keyboard. */
function HistoryTable({ history: { buckets } }: { history: History }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard (WCAG 2.1.1).
    <section className={`${table.scroll} ${styles.table}`} aria-label="Observations, by time" tabIndex={0}>
      <table className={`${table.table} ${table.inset}`} aria-label="History">
        <thead>
          <tr>
            <th>Time</th>
            <th className={table.number}>Market cap</th>
            <th className={table.number}>Liquidity</th>
            <th className={`${table.number} ${table.medium}`}>Observations</th>
          </tr>
        </thead>
        <tbody>
          {[...buckets].reverse().map(({ start, mcap, liquidity, count: observations }) => (
            <tr key={start}>
              <td>{exactTime(start)}</td>
              <td className={table.number} title={exactUsd(mcap.close)}>
                {usd(mcap.close)}
              </td>
              <td className={table.number} title={exactUsd(liquidity.close)}>
                {usd(liquidity.close)}
              </td>
              <td className={`${table.number} ${table.medium}`}>{count(observations)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
