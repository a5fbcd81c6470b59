import { type BacktestResult, type BacktestTrade, signalTypes } from '@sigcast/contracts';

const hourMs = 3_600_000;

/** Bars of 20 percent from −80 percent on, as a target and a stop make them: most trades end at one of both. */
const bars = [8, 100, 44, 31, 12, 8, 6, 5, 9, 58, 22, 5, 2, 1, 0, 1];

/** The trades behind {@link pictureResult}. */
function pictureTrades(now = Date.now()): BacktestTrade[] {
  return Array.from({ length: 312 }, (_, n) => ({
    ...tradeOf(n, n % 3 === 0 ? 'target' : 'stop', n % 3 === 0 ? 104.2 : -51.3, now),
    signal_id: `sig_01J9ZQ6W8T3M5N7P9R1S3V${String(n).padStart(4, '0')}`,
  }));
}

/** The answer with a page of {@link pictureTrades}, as the API has it. */
export function picturePage(url: string) {
  const query = new URL(url).searchParams;
  const [limit, cursor] = [Number(query.get('limit') ?? 20), query.get('cursor')];
  const page = cursor === null ? Number(query.get('page') ?? 1) : Number(cursor);
  const all = pictureTrades();
  const meta = {
    total: all.length,
    page,
    per_page: limit,
    total_pages: Math.ceil(all.length / limit),
    next_cursor: page * limit < all.length ? String(page + 1) : null,
  };
  return { success: true, data: all.slice((page - 1) * limit, page * limit), meta };
}

/** A complete result for pictures, whose own signals are too young to be bought. */
export function pictureResult(now = Date.now()): BacktestResult {
  const at = (hoursAgo: number) => new Date(now - hoursAgo * hourMs).toISOString();
  const figures = { trades: 312, profit_usd: 811.37, avg_roi: 2.6, profitable: 41.35 };
  const none = { trades: 0, profit_usd: 0, avg_roi: 0, profitable: 0 };
  const trade = (n: number, exit: BacktestTrade['exit'], roi: number) => tradeOf(n, exit, roi, now);
  return {
    signals: 420,
    not_bought: { no_entry: 21, filtered: 87 },
    ...figures,
    realized_usd: 764.12,
    roi: { p10: -58.2, p25: -54, median: -12.4, p75: 92, p90: 1_095 },
    by_exit: { open: 4, target: 118, stop: 171, end: 19 },
    by_type: Object.fromEntries(signalTypes.map((type, n) => [type, n < 4 ? figures : none])),
    avg_hours_held: 17.4,
    max_open: 38,
    max_drawdown_usd: 603.1,
    hourly_before: at(300),
    best: [0, 1, 2, 3, 4].map((n) => trade(n, 'target', 204.2 - n * 7)),
    worst: [5, 6, 7, 8, 9].map((n) => trade(n, n === 6 ? 'end' : n === 8 ? null : 'stop', n - 71.2)),
    histogram: bars.map((trades, n) => ({
      from: n * 20 - 80,
      to: n === bars.length - 1 ? null : n * 20 - 60,
      trades,
    })),
    equity: {
      interval_minutes: 60,
      points: Array.from({ length: 240 }, (_, n) => {
        const profits = Array.from({ length: n + 1 }, (_, n) => profitAt(n));
        return {
          at: at(720 - n * 3),
          open: (n * 7) % 39,
          profit_usd: profitAt(n),
          realized_usd: n === 239 ? 764.12 : profitAt(n - (n % 6)),
          drawdown_usd: Math.round((Math.max(0, ...profits) - profitAt(n)) * 100) / 100,
        };
      }),
    },
  };
}

function tradeOf(n: number, exit: BacktestTrade['exit'], roi: number, now: number): BacktestTrade {
  const at = (hoursAgo: number) => new Date(now - hoursAgo * hourMs).toISOString();
  return {
    signal_id: `sig_01J9ZQ6W8T3M5N7P9R1S3V5X${n}Z`,
    type: signalTypes[n % 6] ?? 'new',
    symbol: ['NOVA', 'KITE', 'LUMEN', 'AVERYLONGSYMBOLOFATOKEN', 'HALO'][n % 5] ?? '',
    entered_at: at(500 - n),
    exited_at: exit && at(480 - n),
    exit,
    roi,
    profit_usd: roi,
  };
}

/** Sways, and ends at the profit of {@link pictureResult}. */
function profitAt(n: number): number {
  return Math.round((Math.sin(n / 28) * 420 + n * 2.0303 - 200 * (1 - n / 239)) * 100) / 100;
}
