import { Button, SegmentedControl } from '@mantine/core';
import type { BacktestTrade } from '@sigcast/client';
import { csvLine } from '@sigcast/contracts';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { pageNumberIn } from '../../api/page-number.ts';
import { readPages } from '../../api/read-pages.ts';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { minuteTime } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Section } from '../../ui/page.tsx';
import { lastPage, NoSuchPage, Paging } from '../../ui/paging.tsx';
import { Problem } from '../../ui/problem.tsx';
import { saveAs } from '../../ui/save-as.ts';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Roi } from '../signals/roi.tsx';
import { typeWords } from '../signals/signal-words.ts';
import { tradesPerPage, useTrades } from './backtest-queries.ts';
import { tradeExitWords } from './backtest-words.ts';
import type { Compared } from './comparison.tsx';
import { Profit } from './profit.tsx';

/** The most trades that the API answers with. */
const tradesPerRead = 1_000;
const columns = [
  ...(['signal_id', 'symbol', 'type', 'entered_at', 'exited_at', 'exit'] as const),
  ...(['roi', 'profit_usd'] as const),
] as const satisfies readonly (keyof BacktestTrade)[];

const choices = ['All', 'Best', 'Worst'] as const;

/** The trades of a completed backtest: all of them in pages and as a file, the best, or the worst. `trades` in the address is the page. */
export function Trades({ backtest: { id, result } }: { backtest: Compared }) {
  const session = useSession();
  const [choice, setChoice] = useState<(typeof choices)[number]>('All');
  const save = useAction(async () => {
    const trades = await readPages((cursor) => {
      const query = { limit: tradesPerRead, ...(cursor !== undefined && { cursor }) };
      return session.ask((api) => api.backtests.trades(id, query));
    });
    const lines = [columns, ...trades.map((trade) => columns.map((column) => trade[column]))].map(csvLine);
    saveAs(new Blob(lines, { type: 'text/csv' }), `sigcast-${id}.csv`);
  });
  return (
    <Section
      title="Trades"
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label="Which trades"
            data={[...choices]}
            value={choice}
            onChange={setChoice}
          />
          <Button size="xs" variant="default" loading={save.pending} onClick={() => void save.run()}>
            Export all as CSV
          </Button>
        </>
      }
      flush
    >
      <Problem problem={save.problem} />
      {choice === 'All' ? (
        <AllTrades id={id} />
      ) : (
        <TradeTable name={`${choice} trades`} trades={choice === 'Best' ? result.best : result.worst} />
      )}
    </Section>
  );
}

function AllTrades({ id }: { id: string }) {
  const [params, setParams] = useSearchParams();
  const page = pageNumberIn(new URLSearchParams({ page: params.get('trades') ?? '1' }), tradesPerPage);
  const trades = useTrades(id, page);
  const at = (to: number) => ({ ...Object.fromEntries(params), trades: String(to) });
  return (
    <Loaded query={trades} lines={8}>
      {({ data, meta }) =>
        meta.page > lastPage(meta) ? (
          <NoSuchPage meta={meta} hrefOf={(to) => `/backtests/${id}?${new URLSearchParams(at(to))}`} />
        ) : (
          <>
            <Outdated busy={trades.isPlaceholderData}>
              <TradeTable name="All trades" trades={data} />
            </Outdated>
            <Paging meta={meta} onPage={(to) => setParams(at(to))} />
          </>
        )
      }
    </Loaded>
  );
}

/** Trades, each with a link to its signal. */
function TradeTable({ name, trades }: { name: string; trades: readonly BacktestTrade[] }) {
  return (
    <Table
      label={name}
      rows={trades}
      keyOf={({ signal_id: id }) => id}
      opens
      columns={[
        {
          head: 'Signal',
          wraps: true,
          cell: (trade) => (
            <>
              <Link href={`/signals/${trade.signal_id}`} className={table.title ?? ''}>
                <bdi>{trade.symbol}</bdi>
              </Link>
              <span className={table.small}>{typeWords[trade.type]}</span>
            </>
          ),
        },
        { head: 'Bought', wide: '', cell: ({ entered_at: at }) => minuteTime(at) },
        {
          head: 'Sold',
          wide: true,
          cell: ({ exited_at: at }) => (at === null ? '–' : minuteTime(at)),
        },
        { head: 'Exit', wraps: true, cell: ({ exit }) => tradeExitWords[exit ?? 'open'] },
        { head: 'Result', number: true, cell: ({ roi }) => <Roi percent={roi} /> },
        { head: 'Profit', number: true, medium: true, cell: ({ profit_usd: usd }) => <Profit usd={usd} /> },
      ]}
    />
  );
}
