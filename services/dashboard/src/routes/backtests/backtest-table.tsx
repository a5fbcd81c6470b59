import { ActionIcon, VisuallyHidden } from '@mantine/core';
import type { BacktestListItem } from '@sigcast/client';
import { IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Empty } from '../../ui/empty.tsx';
import { ForRole } from '../../ui/for-role.tsx';
import { count, share } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Roi } from '../signals/roi.tsx';
import { BacktestProgress } from './backtest-progress.tsx';
import { ruleOf, spanOf, stateOf, titleOf } from './backtest-words.ts';
import { DeleteBacktest } from './delete-backtest.tsx';
import { Profit } from './profit.tsx';
import { isUnfinished } from './refresh.ts';

/** A page of backtests, each with a link to its own page. */
export function BacktestTable({ backtests }: { backtests: readonly BacktestListItem[] }) {
  const [doomed, setDoomed] = useState<BacktestListItem>();
  if (backtests.length === 0) {
    return (
      <Empty title="No backtests yet">
        A backtest shows what a rule would have earned with signals of the past.
      </Empty>
    );
  }
  return (
    <>
      <Table
        label="Backtests"
        rows={backtests}
        keyOf={({ id }) => id}
        opens
        columns={[
          {
            head: 'Backtest',
            wraps: true,
            cell: ({ id, name, parameters }) => (
              <>
                <Link href={`/backtests/${id}`} className={table.title ?? ''}>
                  <bdi>{titleOf({ name, parameters })}</bdi>
                </Link>
                <span className={table.small}>
                  {name !== null && `${spanOf(parameters)} · `}
                  {ruleOf(parameters)}
                </span>
              </>
            ),
          },
          { head: 'Status', medium: '', cell: (backtest) => <BacktestState backtest={backtest} /> },
          {
            head: 'Trades',
            number: true,
            medium: true,
            cell: ({ result }) => (result === null ? '–' : count(result.trades)),
          },
          { head: 'Mean result', number: true, cell: ofTrades(({ avg_roi }) => <Roi percent={avg_roi} />) },
          {
            head: 'Profit',
            number: true,
            medium: 'Profit:',
            cell: ofTrades(({ profit_usd }) => <Profit usd={profit_usd} />),
          },
          {
            head: 'Profitable',
            number: true,
            medium: true,
            cell: ofTrades(({ profitable }) => share(profitable)),
          },
          {
            head: 'Created',
            number: true,
            wide: 'Created',
            cell: ({ created_at: at }) => <Instant at={at} />,
          },
          {
            head: <VisuallyHidden>Actions</VisuallyHidden>,
            number: true,
            // A narrow list leaves it to the page of the backtest.
            wide: true,
            cell: (backtest) => (
              <ForRole needs="developer">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Delete the backtest ${backtest.name ?? `of ${spanOf(backtest.parameters)}`}`}
                  onClick={() => setDoomed(backtest)}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </ForRole>
            ),
          },
        ]}
      />
      <DeleteBacktest backtest={doomed} onClose={() => setDoomed(undefined)} />
    </>
  );
}

function BacktestState({ backtest }: { backtest: BacktestListItem }) {
  const { word, tone } = stateOf(backtest);
  return (
    <>
      <Tag tone={tone}>{word}</Tag>
      {isUnfinished(backtest) && <BacktestProgress progress={backtest.progress} />}
    </>
  );
}

/** A figure of the trades, if there are any: without trades there is no mean of them. */
function ofTrades(figure: (result: NonNullable<BacktestListItem['result']>) => ReactNode) {
  return ({ result }: BacktestListItem) => (result === null || result.trades === 0 ? '–' : figure(result));
}
