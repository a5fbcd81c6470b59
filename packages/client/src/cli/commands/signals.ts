import type { Page } from '../../answer.ts';
import type { GetSignalQuery, ListMeta, ListSignalsQuery, SignalListItem } from '../../generated/types.ts';
import { signalStatusValues, signalTypeValues } from '../../generated/types.ts';
import type { Command, Context } from '../command.ts';
import { count, dollars, instant, percent } from '../formats.ts';
import { type Column, fieldLines, Table } from '../table.ts';
import type { Option } from '../values.ts';

const columns: readonly Column<SignalListItem>[] = [
  { title: 'CREATED', of: ({ created_at }) => instant(created_at) },
  { title: 'SYMBOL', of: ({ token }) => token.symbol },
  { title: 'TYPE', of: ({ type }) => type },
  { title: 'STATUS', of: ({ performance }) => performance.status },
  { title: 'ROI', of: ({ performance }) => percent(performance.roi), right: true },
  { title: 'BEST ROI', of: ({ performance }) => percent(performance.ath_roi), right: true },
  { title: 'MARKET CAP', of: ({ metrics }) => dollars(metrics.mcap_current), right: true },
  { title: 'ID', of: ({ id }) => id },
];

export const asOfOption = {
  value: '<time>',
  help: 'what was known at this time, at least a minute ago, in place of now',
} as const;

const realizableColumn: Column<SignalListItem> = {
  title: 'REALIZABLE',
  of: ({ realizable }) => (realizable ? percent(realizable.roi) : '–'),
  right: true,
};

const include: Option = {
  value: '<members>',
  help: 'more members: realizable; with --json also outcome',
};

const list: Command = {
  name: 'signals list',
  summary: 'List signals, newest first',
  options: {
    type: { value: '<types>', help: `only these types: ${signalTypeValues.join(', ')}` },
    status: { value: '<statuses>', help: `only these statuses: ${signalStatusValues.join(', ')}` },
    since: { value: '<time>', help: 'only signals created after this time, such as 2026-01-01T00:00:00Z' },
    until: { value: '<time>', help: 'only signals created up to this time' },
    symbol: { value: '<symbol>', help: 'only tokens with this symbol' },
    contract: { value: '<address>', help: 'only the token with this contract address' },
    filter: {
      value: '<json>',
      help: `only signals that meet conditions: '{"metrics.liquidity":{"gte":50000}}'`,
    },
    'as-of': asOfOption,
    include,
    limit: { value: '<n>', help: 'signals per page, 1 to 100 (default 20)' },
    cursor: { value: '<cursor>', help: 'continue here: "next_cursor" of the page before' },
    all: { help: 'every page; with --json one signal per line' },
  },
  details: 'Separate several values by commas: --status winner,active',
  optionOf: { as_of: '--as-of' },
  run: async ({ values, json, io, connect }) => {
    const { signals } = await connect();
    const query = queryOf(values);
    const table = new Table(columnsOf(query));
    if (!values.has('all')) {
      const page = await signals.list(query);
      if (json) io.print(JSON.stringify({ data: page.data, meta: page.meta }));
      else printPage(page, table, io);
      return;
    }
    let cursor: string | null | undefined = query.cursor;
    do {
      const page = await signals.list({ limit: 100, ...query, ...(cursor && { cursor }) });
      const lines = json ? page.data.map((signal) => JSON.stringify(signal)) : table.lines(page.data);
      for (const line of lines) io.print(line);
      cursor = page.meta.next_cursor;
    } while (cursor);
  },
};

/** The columns of a list: with `include=realizable`, what could be realized stands beside the best return. */
function columnsOf({ include }: ListSignalsQuery): readonly Column<SignalListItem>[] {
  if (!include?.includes('realizable')) return columns;
  return columns.flatMap((column) => (column.title === 'BEST ROI' ? [column, realizableColumn] : [column]));
}

function queryOf(values: Context['values']): ListSignalsQuery {
  const limit = values.wholeNumber('limit', 1);
  const names = ['type', 'status', 'since', 'until', 'symbol', 'contract', 'include', 'as-of', 'cursor'];
  return { ...(values.parameters(...names) as ListSignalsQuery), ...(limit !== undefined && { limit }) };
}

function printPage(
  { data, meta }: Page<SignalListItem, ListMeta>,
  table: Table<SignalListItem>,
  io: Context['io'],
) {
  for (const line of table.lines(data)) io.print(line);
  io.note(`${count(data.length)} of ${count(meta.total)}`);
  if (meta.next_cursor) io.note(`More: --cursor ${meta.next_cursor}, or --all`);
}

const get: Command = {
  name: 'signals get',
  summary: 'Show all details of one signal',
  positionals: ['<signal id>'],
  options: { include, 'as-of': asOfOption },
  optionOf: { as_of: '--as-of' },
  run: async ({ values, show, connect }) => {
    const { signals } = await connect();
    const query = values.parameters('include', 'as-of') as GetSignalQuery;
    const { data } = await signals.get(values.positional(0), query);
    show(data, () => fieldLines(data));
  },
};

export const signalCommands: readonly Command[] = [list, get];
