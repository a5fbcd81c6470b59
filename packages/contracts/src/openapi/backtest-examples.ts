import { signalTypes } from '../signal.ts';
import { exampleIds, success } from './example-values.ts';

const since = '2026-01-01T00:00:00.000Z';
const figures = { trades: 312, profit_usd: -1_204.4, avg_roi: -3.86, profitable: 38.46 };
const none = { trades: 0, profit_usd: 0, avg_roi: 0, profitable: 0 };

const summary = {
  signals: 420,
  not_bought: { no_entry: 21, filtered: 87 },
  ...figures,
  roi: { p10: -58.2, p25: -54, median: -51, p75: 92, p90: 95 },
  by_exit: { open: 4, target: 118, stop: 171, end: 19 },
  by_type: Object.fromEntries(signalTypes.map((type) => [type, type === 'new' ? figures : none])),
  ...{ avg_hours_held: 17.4, max_open: 38, max_drawdown_usd: 1_310.75 },
  best: [
    {
      ...{ signal_id: exampleIds.signal_id, symbol: 'NOVA', type: 'new' },
      ...{ entered_at: '2026-01-01T12:01:30.000Z', exited_at: '2026-01-01T20:10:00.000Z', exit: 'target' },
      ...{ roi: 104.2, profit_usd: 104.2 },
    },
  ],
  worst: [],
  hourly_before: '2025-12-09T00:00:00.000Z',
};

const backtest = {
  id: exampleIds.backtest_id,
  status: 'completed',
  progress: { done: 420, total: 420 },
  parameters: {
    filters: {
      ...{ since, until: '2026-01-08T00:00:00.000Z', types: [...signalTypes], is_premium: null },
      ...{ min_mcap: null, max_mcap: null, min_liquidity: 10_000, min_volume_24h: null, min_holders: null },
    },
    ...{ delay_minutes: 1, size_usd: 100, target: 2, stop: 0.5, hold_hours: 168 },
    costs: { fee_percent: 1, price_impact: true },
    as_of: '2026-01-08T00:00:00.000Z',
  },
  error: null,
  created_at: '2026-01-08T00:02:00.000Z',
  finished_at: '2026-01-08T00:02:06.000Z',
};

/** Examples of bodies and answers about backtests, by their names in the document. */
export const backtestExamples: Readonly<Record<string, unknown>> = {
  CreateBacktest: { filters: { since, min_liquidity: 10_000 }, target: 2, stop: 0.5 },
  BacktestAnswer: success({
    ...backtest,
    result: {
      ...summary,
      equity: {
        interval: 'hour',
        points: [
          { at: '2026-01-01T13:00:00.000Z', profit_usd: -8.1, open: 4 },
          { at: '2026-01-01T14:00:00.000Z', profit_usd: -12.55, open: 7 },
        ],
      },
    },
  }),
  BacktestList: {
    ...success([{ ...backtest, result: summary }]),
    meta: { total: 1, page: 1, per_page: 20, total_pages: 1 },
  },
  DeletedBacktestAnswer: success({ id: backtest.id, deleted: true }),
};
