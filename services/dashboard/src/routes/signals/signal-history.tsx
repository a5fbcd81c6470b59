import { SegmentedControl } from '@mantine/core';
import type { SignalHistory as History, Signal } from '@sigcast/client';
import { lazy, Suspense, useState } from 'react';
import { loadFile } from '../../load-file.ts';
import beside from '../../ui/chart-and-table.module.css';
import { Empty } from '../../ui/empty.tsx';
import { count, exactTime, exactUsd, usd } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
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
      <div className={beside.both}>
        <div className={beside.chart}>
          <Suspense>
            <HistoryChart history={history} />
          </Suspense>
        </div>
        <HistoryTable history={history} />
      </div>
    </>
  );
}

/** The chart's figures, newest first. */
function HistoryTable({ history: { buckets } }: { history: History }) {
  return (
    <Table
      label="History"
      rows={buckets.toReversed()}
      keyOf={({ start }) => start}
      inset
      className={beside.table}
      region="Observations, by time"
      columns={[
        { head: 'Time', cell: ({ start }) => exactTime(start) },
        { head: 'Market cap', number: true, cell: ({ mcap }) => <Usd amount={mcap.close} /> },
        { head: 'Liquidity', number: true, cell: ({ liquidity }) => <Usd amount={liquidity.close} /> },
        { head: 'Observations', number: true, medium: true, cell: (bucket) => count(bucket.count) },
      ]}
    />
  );
}

function Usd({ amount }: { amount: number }) {
  return <span title={exactUsd(amount)}>{usd(amount)}</span>;
}
