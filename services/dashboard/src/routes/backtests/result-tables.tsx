import type { BacktestResult } from '@sigcast/client';
import type { ReactNode } from 'react';
import { count, share } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Roi } from '../signals/roi.tsx';
import { keysOf, typeWords } from '../signals/signal-words.ts';
import { tradeExitWords } from './backtest-words.ts';
import { Profit } from './profit.tsx';

type Props = { readonly result: BacktestResult };

/** Trades by how they ended. */
export function ByExit({ result: { by_exit: exits, trades } }: Props) {
  return (
    <Section title="Results by exit" flush>
      <Table
        label="By exit"
        rows={keysOf(tradeExitWords)}
        keyOf={(exit) => exit}
        columns={[
          { head: 'Exit', cell: (exit) => tradeExitWords[exit] },
          { head: 'Trades', number: true, cell: (exit) => count(exits[exit]) },
          {
            head: 'Share',
            number: true,
            cell: (exit) => share(Math.round((exits[exit] / trades) * 1_000) / 10),
          },
        ]}
      />
    </Section>
  );
}

const percentiles = {
  p10: '10th percentile',
  p25: '25th percentile',
  median: 'Median',
  p75: '75th percentile',
  p90: '90th percentile',
} as const;

/** The distribution of the results. */
export function Percentiles({ result: { roi } }: Props) {
  return (
    <Section title="Percentiles" flush>
      <Table
        label="Percentiles"
        rows={keysOf(percentiles)}
        keyOf={(name) => name}
        columns={[
          { head: 'Percentile', cell: (name) => percentiles[name] },
          { head: 'Result', number: true, cell: (name) => <Roi percent={roi[name]} /> },
        ]}
      />
    </Section>
  );
}

/** For each chosen type, the figures that are shown above for all trades. */
export function ByType({ result: { by_type: types } }: Props) {
  const rows = keysOf(typeWords).flatMap((type) => {
    const figures = types[type];
    return figures === undefined ? [] : [{ type, ...figures }];
  });
  const ofTrades = (figure: (row: (typeof rows)[number]) => ReactNode) => (row: (typeof rows)[number]) =>
    row.trades === 0 ? '–' : figure(row);
  return (
    <Section title="Results by type" flush>
      <Table
        label="By type"
        rows={rows}
        keyOf={({ type }) => type}
        columns={[
          { head: 'Type', cell: ({ type }) => typeWords[type] },
          { head: 'Trades', number: true, cell: ({ trades }) => count(trades) },
          { head: 'Mean result', number: true, cell: ofTrades(({ avg_roi }) => <Roi percent={avg_roi} />) },
          { head: 'Profit', number: true, cell: ofTrades(({ profit_usd }) => <Profit usd={profit_usd} />) },
          {
            head: 'Profitable',
            number: true,
            medium: true,
            cell: ofTrades(({ profitable }) => share(profitable)),
          },
        ]}
      />
    </Section>
  );
}
