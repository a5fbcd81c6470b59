import { BacktestFailedError } from '../../backtests.ts';
import { SigcastError } from '../../errors.ts';
import type { Backtest, BacktestListItem, CreateBacktest, SignalType } from '../../generated/types.ts';
import { signalTypeValues } from '../../generated/types.ts';
import { progressText, reportLines } from '../backtest-report.ts';
import type { Command } from '../command.ts';
import { CliError, exits, wrongUsage } from '../exits.ts';
import { count, dollars, instant, percent } from '../formats.ts';
import { type Column, Table } from '../table.ts';
import type { Values } from '../values.ts';
import { asOfOption } from './signals.ts';

const columns: readonly Column<BacktestListItem>[] = [
  { title: 'CREATED', of: ({ created_at }) => instant(created_at) },
  { title: 'STATUS', of: ({ status }) => status },
  { title: 'SINCE', of: ({ parameters }) => instant(parameters.filters.since) },
  { title: 'UNTIL', of: ({ parameters }) => instant(parameters.filters.until) },
  { title: 'TRADES', of: ({ result }) => (result ? count(result.trades) : '–'), right: true },
  { title: 'PROFIT', of: ({ result }) => (result ? dollars(result.profit_usd) : '–'), right: true },
  { title: 'MEAN ROI', of: ({ result }) => (result ? percent(result.avg_roi) : '–'), right: true },
  { title: 'NAME', of: ({ name }) => name ?? '–' },
  { title: 'ID', of: ({ id }) => id },
];

const list: Command = {
  name: 'backtest list',
  summary: 'List your backtests, newest first',
  run: async ({ show, connect }) => {
    const { backtests } = await connect();
    // One page has all backtests of an account.
    const { data, meta } = await backtests.list({ limit: 100 });
    show({ data, meta }, () => new Table(columns).lines(data));
  },
};

const one: Command = {
  name: 'backtest show',
  summary: 'Show a backtest: what it computes, and its result or how far it is',
  positionals: ['<backtest id>'],
  run: async ({ values, show, connect }) => {
    const { backtests } = await connect();
    const { data } = await backtests.get(values.positional(0));
    show(data, () => reportLines(data));
  },
};

const remove: Command = {
  name: 'backtest delete',
  summary: 'Delete a backtest, also while it is running',
  positionals: ['<backtest id>'],
  run: async ({ values, show, connect }) => {
    const { backtests } = await connect();
    const { data } = await backtests.delete(values.positional(0));
    show(data, () => [`Deleted ${data.id}`]);
  },
};

const run: Command = {
  name: 'backtest',
  summary: 'Try a strategy on signals of the past, and show the result',
  tooMany: 'backtest takes no argument, unless it is list, show or delete: the signals are chosen by options',
  options: {
    name: { value: '<text>', help: 'what to call it, up to 80 characters' },
    since: { value: '<time>', help: 'signals created after this time, such as 2026-01-01 (required)' },
    until: { value: '<time>', help: 'signals created up to this time' },
    type: { value: '<types>', help: `only these types: ${signalTypeValues.join(', ')}` },
    premium: { value: '<yes|no>', help: 'only premium signals, or only others' },
    'min-mcap': { value: '<usd>', help: 'the lowest market cap at the purchase' },
    'max-mcap': { value: '<usd>', help: 'the highest market cap at the purchase' },
    'min-liquidity': { value: '<usd>', help: 'the lowest liquidity at the purchase' },
    'min-volume-24h': { value: '<usd>', help: 'the lowest volume of the 24 hours before the purchase' },
    'min-holders': { value: '<n>', help: 'the lowest number of holders at the purchase' },
    filter: {
      value: '<json>',
      help: `only signals that met conditions when they were created: '{"token.chain":{"eq":"base"}}'`,
    },
    delay: { value: '<minutes>', help: 'from the signal to the earliest purchase (default 1)' },
    size: { value: '<usd>', help: 'what each purchase costs (default 100)' },
    target: {
      value: '<x|none>',
      help: 'sell at this multiple of the market cap at the purchase (default 2)',
    },
    stop: { value: '<x|none>', help: 'sell at this multiple of it or less (default 0.5)' },
    hold: { value: '<hours>', help: 'sell after this time at the latest (default 168)' },
    fee: { value: '<percent>', help: 'costs of each trade, of the purchase and of the sale (default 1)' },
    'no-price-impact': { help: 'trades do not move the price' },
    'as-of': { ...asOfOption, help: 'use nothing that was known later (default: a minute ago)' },
  },
  optionOf: {
    name: '--name',
    'filters.since': '--since',
    'filters.until': '--until',
    'filters.types': '--type',
    'filters.min_mcap': '--min-mcap',
    'filters.max_mcap': '--max-mcap',
    'filters.min_liquidity': '--min-liquidity',
    'filters.min_volume_24h': '--min-volume-24h',
    'filters.min_holders': '--min-holders',
    filter: '--filter',
    delay_minutes: '--delay',
    size_usd: '--size',
    hold_hours: '--hold',
    'costs.fee_percent': '--fee',
    as_of: '--as-of',
  },
  details: `Defaults are those of the published exit rule v1. The API computes the backtest by itself, and keeps it for
30 days: Ctrl-C ends only the waiting. See also: sigcast backtest list, show and delete.`,
  run: async ({ values, show, io, connect }) => {
    const request = requestOf(values);
    const { backtests } = await connect();
    const { stop, exit } = io.catchInterrupts();
    let begun: Backtest | undefined;
    const onProgress = (backtest: Backtest) => {
      begun = backtest;
      io.progress(progressText(backtest) ?? '');
    };
    try {
      const { data } = await backtests.run(request, { signal: stop, onProgress });
      show(data, () => reportLines(data));
      return exits.done;
    } catch (error) {
      io.progress('');
      if (error instanceof BacktestFailedError) throw new CliError(exits.failed, error.message);
      const isGone = error instanceof SigcastError && error.code === 'NOT_FOUND';
      if (begun !== undefined && !isGone) io.note(`The backtest goes on: sigcast backtest show ${begun.id}`);
      if (!stop.aborted) throw error;
      if (begun === undefined) io.note('A backtest may have begun: sigcast backtest list');
      return exit();
    }
  },
};

/** `backtest` comes last: before the others it would take their second words for its arguments. */
export const backtestCommands: readonly Command[] = [list, one, remove, run];

/** The request that the options describe. The API checks the bounds: copies of them here would get out of date. */
function requestOf(values: Values): CreateBacktest {
  const since = values.text('since');
  if (since === undefined) throw wrongUsage('--since is missing: --since 2026-01-01');
  const premium = values.text('premium');
  if (premium !== undefined && !['yes', 'no'].includes(premium)) {
    throw wrongUsage(`--premium must be yes or no, not "${premium}"`);
  }
  return given({
    name: values.text('name'),
    filters: given({
      since,
      until: values.text('until'),
      types: values.text('type')?.split(',') as SignalType[] | undefined,
      is_premium: premium === undefined ? undefined : premium === 'yes',
      min_mcap: values.number('min-mcap'),
      max_mcap: values.number('max-mcap'),
      min_liquidity: values.number('min-liquidity'),
      min_volume_24h: values.number('min-volume-24h'),
      min_holders: values.number('min-holders'),
    }),
    filter: filterIn(values.text('filter')),
    delay_minutes: values.number('delay'),
    size_usd: values.number('size'),
    target: values.text('target') === 'none' ? null : values.number('target'),
    stop: values.text('stop') === 'none' ? null : values.number('stop'),
    hold_hours: values.number('hold'),
    costs: values.has('fee') || values.has('no-price-impact') ? costsOf(values) : undefined,
    as_of: values.text('as-of'),
  }) as CreateBacktest;
}

/** The filter of a text in JSON. Its fields and operators are checked by the API. */
function filterIn(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    throw wrongUsage('--filter must be JSON, such as {"token.chain":{"eq":"base"}}');
  }
}

function costsOf(values: Values): object {
  const price_impact = values.has('no-price-impact') ? false : undefined;
  return given({ fee_percent: values.number('fee'), price_impact });
}

/** The object without undefined members. */
function given(object: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
