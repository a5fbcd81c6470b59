import type {
  Backtest,
  BacktestParameters,
  BacktestResult,
  BacktestTrade,
  TradeFigures,
} from '../generated/types.ts';
import { count, dollars, instant, percent } from './formats.ts';
import { type Column, rowLines, Table } from './table.ts';

const typeColumns: readonly Column<readonly [string, TradeFigures]>[] = [
  { title: 'TYPE', of: ([type]) => type },
  { title: 'TRADES', of: ([, { trades }]) => count(trades), right: true },
  { title: 'PROFIT', of: ([, { profit_usd }]) => dollars(profit_usd), right: true },
  { title: 'MEAN ROI', of: ([, { avg_roi }]) => percent(avg_roi), right: true },
  { title: 'PROFITABLE', of: ([, { profitable }]) => percent(profitable), right: true },
];

const tradeColumns: readonly Column<BacktestTrade>[] = [
  { title: 'ROI', of: ({ roi }) => percent(roi), right: true },
  { title: 'PROFIT', of: ({ profit_usd }) => dollars(profit_usd), right: true },
  { title: 'SYMBOL', of: ({ symbol }) => symbol },
  { title: 'BOUGHT', of: ({ entered_at }) => instant(entered_at) },
  { title: 'SOLD', of: ({ exited_at }) => instant(exited_at) },
  { title: 'EXIT', of: ({ exit }) => exit ?? 'open' },
  { title: 'SIGNAL', of: ({ signal_id }) => signal_id },
];

/** A backtest as lines for people: what was asked, and its result or how far it is. */
export function reportLines(backtest: Backtest): string[] {
  const { id, name, status, parameters, result, error } = backtest;
  const asked = [
    ['Backtest', id] as const,
    ...(name === null ? [] : [['Name', name] as const]),
    ...strategyRows(parameters),
  ];
  if (result === null) return rowLines([...asked, ['Status', error ?? progressText(backtest) ?? status]]);
  const { best, worst } = result;
  const others = worst.filter(({ signal_id }) => best.every((trade) => trade.signal_id !== signal_id));
  const byType = Object.entries(result.by_type).filter(([, { trades }]) => trades > 0);
  return [
    ...rowLines([...asked, ...resultRows(parameters, result)]),
    ...(byType.length === 0 ? [] : ['', ...new Table(typeColumns).lines(byType)]),
    ...(best.length === 0 ? [] : ['', ...new Table(tradeColumns).lines([...best, ...others.reverse()])]),
  ];
}

/** How far a backtest is; undefined when it is over. */
export function progressText({ status, progress: { done, total } }: Backtest): string | undefined {
  if (status === 'queued') return 'Waiting for its turn';
  if (status !== 'running') return undefined;
  return `${count(done)} of ${count(total)} signals`;
}

type Row = readonly [string, string];

function strategyRows(parameters: BacktestParameters): Row[] {
  const { filters, target, stop, costs } = parameters;
  const exits = [
    target === null ? 'no target' : `target ${target} ×`,
    stop === null ? 'no stop' : `stop ${stop} ×`,
  ];
  const bounds = [
    filters.is_premium === null ? [] : filters.is_premium ? 'only premium' : 'not premium',
    filters.min_mcap === null ? [] : `market cap from ${dollars(filters.min_mcap)}`,
    filters.max_mcap === null ? [] : `market cap up to ${dollars(filters.max_mcap)}`,
    filters.min_liquidity === null ? [] : `liquidity from ${dollars(filters.min_liquidity)}`,
    filters.min_volume_24h === null ? [] : `24 h volume from ${dollars(filters.min_volume_24h)}`,
    filters.min_holders === null ? [] : `holders from ${count(filters.min_holders)}`,
    parameters.filter === null ? [] : `conditions ${JSON.stringify(parameters.filter)}`,
  ].flat();
  return [
    ['Signals', `created after ${instant(filters.since)}, up to ${instant(filters.until)}`],
    ['Filters', [`types ${filters.types.join(',')}`, ...bounds].join('; ')],
    ['Purchase', `${dollars(parameters.size_usd)}, ${count(parameters.delay_minutes)} min after the signal`],
    ['Sale', `${exits.join(', ')}, at most ${count(parameters.hold_hours)} h`],
    [
      'Costs',
      `${percent(costs.fee_percent)} of each trade, ${costs.price_impact ? 'and' : 'no'} price impact`,
    ],
    ['As of', instant(parameters.as_of)],
  ];
}

function resultRows({ filters, size_usd }: BacktestParameters, result: BacktestResult): Row[] {
  const { roi, by_exit, not_bought, max_open } = result;
  const isHourly = Date.parse(filters.since) < Date.parse(result.hourly_before);
  const trades =
    `${count(result.trades)} of ${count(result.signals)} signals ` +
    `(${count(not_bought.no_entry)} without an entry, ${count(not_bought.filtered)} filtered out)`;
  if (result.trades === 0) return [['Trades', trades]];
  return [
    ['Trades', trades],
    ['Profit', `${dollars(result.profit_usd)}; ${dollars(result.realized_usd)} realized`],
    ['Mean ROI', `${percent(result.avg_roi)}; ${percent(result.profitable)} of the trades are profitable`],
    [
      'ROI',
      Object.entries(roi)
        .map(([name, value]) => `${name} ${percent(value)}`)
        .join(', '),
    ],
    [
      'Exits',
      Object.entries(by_exit)
        .map(([exit, trades]) => `${count(trades)} ${exit}`)
        .join(', '),
    ],
    ['Held', `${result.avg_hours_held} h on average`],
    ['Capital', `${dollars(max_open * size_usd)}, for ${count(max_open)} positions at the same time`],
    ['Drawdown', dollars(result.max_drawdown_usd)],
    ...(isHourly
      ? [['Precision', `one observation an hour before ${instant(result.hourly_before)}`] as const]
      : []),
  ];
}
