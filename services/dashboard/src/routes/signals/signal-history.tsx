import { SegmentedControl } from '@mantine/core';
import type { SignalHistory as History, Signal } from '@sigcast/client';
import { type ReactNode, useState } from 'react';
import { Empty } from '../../ui/empty.tsx';
import { count, exactTime, plural } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Section } from '../../ui/page.tsx';
import { SignalTrace } from '../../ui/signal-trace.tsx';
import { Table } from '../../ui/table.tsx';
import { Usd } from '../../ui/usd.tsx';
import { WhenSeen } from '../../ui/when-seen.tsx';
import { changesIn, marksOf, tracedOf } from './history-points.ts';
import styles from './signal-history.module.css';
import { type HistorySpan, spansMs, useRealizable, useSignalHistory } from './signal-queries.ts';
import { keysOf, periodWords } from './signal-words.ts';

type Props = { readonly signal: Pick<Signal, 'id' | 'created_at'>; readonly live: boolean };

/** Market cap and liquidity of a signal over time. Loaded when it comes into view. */
export function SignalHistory({ signal, live }: Props) {
  const [span, setSpan] = useState<HistorySpan>('all');
  const ageMs = Date.now() - Date.parse(signal.created_at);
  return (
    <Section
      title="History"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Time range"
          value={span}
          onChange={(value) => setSpan(value as HistorySpan)}
          data={keysOf(periodWords).map((value) => ({
            value,
            label: periodWords[value],
            // Longer than the signal exists, they would be the same as all.
            disabled: (value === '7d' || value === '30d') && ageMs < spansMs[value],
          }))}
        />
      }
    >
      <WhenSeen className={styles.place}>
        <HistoryOf signal={signal} span={span} live={live}>
          {(history) => <Course history={history} id={signal.id} live={live} />}
        </HistoryOf>
      </WhenSeen>
    </Section>
  );
}

/** The history of a signal, or why there is none. `lineHeight`: a third of the height that the content has. */
export function HistoryOf(
  props: Props & { span: HistorySpan; lineHeight?: number; children: (history: History) => ReactNode },
) {
  const history = useSignalHistory(props.signal, props.span, { live: props.live });
  return (
    <Loaded query={history} lines={3} lineHeight={props.lineHeight ?? 90}>
      {(data) => (
        <Outdated busy={history.isPlaceholderData}>
          {data === 'not yet' ? (
            <Empty title="No history yet">The first observation appears here within seconds.</Empty>
          ) : data === 'never recorded' ? (
            <Empty title="No history was recorded for this signal" />
          ) : data.buckets.length === 0 ? (
            <Empty title="No observations in this time range">Choose a longer one to see earlier ones.</Empty>
          ) : (
            props.children(data)
          )}
        </Outdated>
      )}
    </Loaded>
  );
}

function Course({ history, id, live }: { history: History; id: string; live: boolean }) {
  const { data: realizable } = useRealizable(id, { live });
  return (
    <>
      <SignalTrace traced={tracedOf(history, realizable)} flags={changesIn(history)} />
      <ul className={styles.marks}>
        {marksOf(history).map((mark) => (
          <li key={mark}>{mark}</li>
        ))}
        {realizable && <li>Shaded: held by the fixed rule</li>}
      </ul>
      <details className={styles.table}>
        <summary>{plural(history.buckets.length, 'observed interval')} in figures</summary>
        <HistoryTable history={history} />
      </details>
    </>
  );
}

/** The trace's figures, newest first. */
function HistoryTable({ history: { buckets } }: { history: History }) {
  return (
    <Table
      label="History"
      rows={buckets.toReversed()}
      keyOf={({ start }) => start}
      inset
      className={styles.rows}
      region="Observations, by time"
      columns={[
        { head: 'Time', cell: ({ start }) => exactTime(start) },
        { head: 'Market cap', number: true, cell: ({ mcap }) => <Usd amount={mcap.close} aligned /> },
        {
          head: 'Liquidity',
          number: true,
          cell: ({ liquidity }) => <Usd amount={liquidity.close} aligned />,
        },
        { head: 'Observations', number: true, medium: true, cell: (bucket) => count(bucket.count) },
      ]}
    />
  );
}
