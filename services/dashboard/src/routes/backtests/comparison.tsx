import { Anchor, Button, NativeSelect, VisuallyHidden } from '@mantine/core';
import type { Backtest, BacktestResult } from '@sigcast/client';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';
import { count, exactUsd, points, profit, share, signed } from '../../ui/format.ts';
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

/** The parameters in which two backtests differ, and their figures beside each other. */
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
        rows={[...differences(backtest, other), ...figuresOf(backtest, other)]}
        keyOf={({ name }) => name}
        columns={[
          { head: 'Figure', wraps: true, cell: ({ name }) => name },
          {
            head: <Title backtest={backtest} />,
            number: true,
            wraps: true,
            cell: ({ one, better }) => <Marked isBetter={better === 'one'}>{one}</Marked>,
          },
          {
            head: (
              <Anchor component={Link} href={`/backtests/${other.id}`} size="xs">
                <Title backtest={other} />
              </Anchor>
            ),
            number: true,
            wraps: true,
            cell: ({ other, better }) => <Marked isBetter={better === 'other'}>{other}</Marked>,
          },
          { head: 'Difference', number: true, medium: true, cell: ({ difference }) => difference },
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

/** A figure, with a mark if it is the better one. */
function Marked({ isBetter, children }: { isBetter: boolean; children: ReactNode }) {
  if (!isBetter) return children;
  return (
    <span className={styles.better} title="The better one">
      {children}
      <VisuallyHidden> (better)</VisuallyHidden>
    </span>
  );
}

type Row = {
  readonly name: string;
  readonly one: ReactNode;
  readonly other: ReactNode;
  /** The first less the other one. */
  readonly difference?: string;
  readonly better?: 'one' | 'other' | undefined;
};

/** A figure of a backtest: how it and a difference are shown, and whether more of it is better. */
type Figure = {
  readonly of: (backtest: Compared) => number;
  readonly cell: (value: number) => ReactNode;
  readonly difference: (value: number) => string;
  readonly more?: 'better' | 'worse';
};

const percent = {
  cell: (value: number) => <Roi percent={value} />,
  difference: points,
  more: 'better',
} as const;
const money = { cell: exactUsd, difference: profit, more: 'worse' } as const;
const earned = { ...money, cell: (value: number) => <Profit usd={value} />, more: 'better' } as const;
const many = { cell: count, difference: signed } as const;

const figures: Readonly<Record<string, Figure>> = {
  Profit: { of: ({ result }) => result.profit_usd, ...earned },
  Realized: { of: ({ result }) => result.realized_usd, ...earned },
  'Mean result': { of: ({ result }) => result.avg_roi, ...percent },
  'Median result': { of: ({ result }) => result.roi.median, ...percent },
  Profitable: { of: ({ result }) => result.profitable, ...percent, cell: share },
  'Largest drawdown': { of: ({ result }) => result.max_drawdown_usd, ...money },
  'Capital needed': { of: ({ result, parameters }) => result.max_open * parameters.size_usd, ...money },
  Trades: { of: ({ result }) => result.trades, ...many },
  Signals: { of: ({ result }) => result.signals, ...many },
  'Mean time held': {
    of: ({ result }) => result.avg_hours_held,
    cell: heldFor,
    difference: (value) => `${signed(value)}\u00A0h`,
  },
};

function figuresOf(backtest: Compared, other: Compared): Row[] {
  return Object.entries(figures).map(([name, { of, cell, difference, more }]) => {
    const [one, two] = [of(backtest), of(other)];
    const better = one === two || more === undefined ? undefined : one > two === (more === 'better');
    return {
      name,
      one: cell(one),
      other: cell(two),
      difference: one === two ? '' : difference(one - two),
      better: better === undefined ? undefined : better ? 'one' : 'other',
    };
  });
}

function differences(backtest: Compared, other: Compared): Row[] {
  const [ones, others] = [backtest, other].map(({ parameters }) => new Map(parametersOf(parameters)));
  return [...new Set([...(ones?.keys() ?? []), ...(others?.keys() ?? [])])]
    .map((name) => ({ name, one: ones?.get(name) ?? 'Any', other: others?.get(name) ?? 'Any' }))
    .filter(({ one, other }) => one !== other);
}
