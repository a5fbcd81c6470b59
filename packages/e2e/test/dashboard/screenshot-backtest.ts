import { type BacktestResult, signalTypes } from '@sigcast/contracts';

const hourMs = 3_600_000;

/** A complete result for pictures, whose own signals are too young to be bought. */
export function pictureResult(now = Date.now()): BacktestResult {
  const at = (hoursAgo: number) => new Date(now - hoursAgo * hourMs).toISOString();
  const figures = { trades: 312, profit_usd: 811.37, avg_roi: 2.6, profitable: 41.35 };
  const none = { trades: 0, profit_usd: 0, avg_roi: 0, profitable: 0 };
  const trade = (n: number, exit: 'target' | 'stop' | 'end' | null, roi: number) => ({
    signal_id: `sig_01J9ZQ6W8T3M5N7P9R1S3V5X${n}Z`,
    type: signalTypes[n % 6] ?? 'new',
    symbol: ['NOVA', 'KITE', 'LUMEN', 'AVERYLONGSYMBOLOFATOKEN', 'HALO'][n % 5] ?? '',
    entered_at: at(500 - n * 7),
    exited_at: exit && at(480 - n * 7),
    exit,
    roi,
    profit_usd: roi,
  });
  return {
    signals: 420,
    not_bought: { no_entry: 21, filtered: 87 },
    ...figures,
    roi: { p10: -58.2, p25: -54, median: -12.4, p75: 92, p90: 1_095 },
    by_exit: { open: 4, target: 118, stop: 171, end: 19 },
    by_type: Object.fromEntries(signalTypes.map((type, n) => [type, n < 4 ? figures : none])),
    avg_hours_held: 17.4,
    max_open: 38,
    max_drawdown_usd: 1_310.75,
    hourly_before: at(300),
    best: [0, 1, 2, 3, 4].map((n) => trade(n, 'target', 204.2 - n * 7)),
    worst: [5, 6, 7, 8, 9].map((n) => trade(n, n === 6 ? 'end' : n === 8 ? null : 'stop', n - 71.2)),
    equity: {
      interval: 'hour',
      points: Array.from({ length: 240 }, (_, n) => ({
        at: at(720 - n * 3),
        open: (n * 7) % 39,
        profit_usd: Math.round((Math.sin(n / 28) * 420 + n * 4 - 200) * 100) / 100,
      })),
    },
  };
}
