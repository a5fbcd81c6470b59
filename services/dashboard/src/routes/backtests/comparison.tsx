import { Anchor, Button, NativeSelect } from '@mantine/core';
import type { Backtest, BacktestResult } from '@sigcast/client';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';
import { count, exactUsd, share } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Roi } from '../signals/roi.tsx';
import { useFinishedBacktests } from './backtest-queries.ts';
import { heldFor, parametersOf, ruleOf, titleOf } from './backtest-words.ts';
import styles from './backtests.module.css';
import { Profit } from './profit.tsx';

/** A completed backtest. */
export type Compared = Backtest & { readonly result: BacktestResult };

/** Whether a backtest is completed. */
export function isCompleted(backtest: Backtest | undefined): backtest is Compared {
  return backtest !== undefined && backtest.result !== null;
}

/** Chooses the finished backtest that this one is compared with: `with` in the address. */
export function CompareWith({ id }: { id: string }) {
  const [params, setParams] = useSearchParams();
  const others = useFinishedBacktests().data?.filter((other) => other.id !== id) ?? [];
  if (others.length === 0) return null;
  return (
    <NativeSelect
      className={styles.compare ?? ''}
      size="xs"
      aria-label="Compare with"
      value={params.get('with') ?? ''}
      onChange={({ currentTarget: { value } }) => setParams(withOther(params, value))}
      data={[
        { value: '', label: 'Compare with …' },
        ...others.map((other) => ({
          value: other.id,
          label: `${titleOf(other)} · ${ruleOf(other.parameters)}`,
        })),
      ]}
    />
  );
}

function withOther(params: URLSearchParams, other: string): Record<string, string> {
  const { with: _with, ...rest } = Object.fromEntries(params);
  return { ...rest, ...(other !== '' && { with: other }) };
}

/** The figures of two backtests beside each other, and the parameters in which they differ. */
export function Comparison({ backtest, other }: { backtest: Compared; other: Compared }) {
  const [params, setParams] = useSearchParams();
  return (
    <Section
      title="Comparison"
      actions={
        <Button size="xs" variant="default" onClick={() => setParams(withOther(params, ''))}>
          Stop comparing
        </Button>
      }
      flush
    >
      <Table
        label="Comparison"
        className={styles.comparison}
        rows={[...figuresOf(backtest, other), ...differences(backtest, other)]}
        keyOf={({ name }) => name}
        columns={[
          { head: 'Figure', wraps: true, cell: ({ name }) => name },
          { head: <Title backtest={backtest} />, number: true, wraps: true, cell: ({ one }) => one },
          {
            head: (
              <Anchor component={Link} href={`/backtests/${other.id}`} size="xs">
                <Title backtest={other} />
              </Anchor>
            ),
            number: true,
            wraps: true,
            cell: (row) => row.other,
          },
        ]}
      />
    </Section>
  );
}

/** The title in at most two lines. */
function Title({ backtest }: { backtest: Compared }) {
  const title = titleOf(backtest);
  return (
    <bdi className={styles.title} title={title}>
      {title}
    </bdi>
  );
}

type Row = { readonly name: string; readonly one: ReactNode; readonly other: ReactNode };

const figures: Readonly<Record<string, (backtest: Compared) => ReactNode>> = {
  Profit: ({ result }) => <Profit usd={result.profit_usd} />,
  Realized: ({ result }) => <Profit usd={result.realized_usd} />,
  'Mean result': ({ result }) => <Roi percent={result.avg_roi} />,
  'Median result': ({ result }) => <Roi percent={result.roi.median} />,
  Profitable: ({ result }) => share(result.profitable),
  Trades: ({ result }) => count(result.trades),
  Signals: ({ result }) => count(result.signals),
  'Mean time held': ({ result }) => heldFor(result.avg_hours_held),
  'Capital needed': ({ result, parameters }) => exactUsd(result.max_open * parameters.size_usd),
  'Largest drawdown': ({ result }) => exactUsd(result.max_drawdown_usd),
};

function figuresOf(backtest: Compared, other: Compared): Row[] {
  return Object.entries(figures).map(([name, of]) => ({ name, one: of(backtest), other: of(other) }));
}

function differences(backtest: Compared, other: Compared): Row[] {
  const [ones, others] = [backtest, other].map(({ parameters }) => new Map(parametersOf(parameters)));
  return [...new Set([...(ones?.keys() ?? []), ...(others?.keys() ?? [])])]
    .map((name) => ({ name, one: ones?.get(name) ?? 'Any', other: others?.get(name) ?? 'Any' }))
    .filter(({ one, other }) => one !== other);
}
