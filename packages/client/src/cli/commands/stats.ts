import type { SignalType } from '../../signals.ts';
import type { Interval, Period, StatisticsPoint, TypeStatistics } from '../../statistics.ts';
import type { Command } from '../command.ts';
import { wrongUsage } from '../exits.ts';
import { count, instant, percent } from '../formats.ts';
import { type Column, Table } from '../table.ts';
import { asOfOption } from './signals.ts';

const typeColumns: readonly Column<readonly [string, TypeStatistics]>[] = [
  { title: 'TYPE', of: ([type]) => type },
  { title: 'SIGNALS', of: ([, { total }]) => count(total), right: true },
  { title: 'WINNERS', of: ([, { winners }]) => count(winners), right: true },
  { title: 'WIN RATE', of: ([, { win_rate }]) => percent(win_rate), right: true },
];

const pointColumns: readonly Column<StatisticsPoint>[] = [
  { title: 'FROM', of: ({ from }) => instant(from) },
  { title: 'SIGNALS', of: ({ total_signals }) => count(total_signals), right: true },
  { title: 'WINNERS', of: ({ winners }) => count(winners), right: true },
  { title: 'WIN RATE', of: ({ win_rate }) => percent(win_rate), right: true },
  { title: 'MEAN ROI', of: ({ avg_roi }) => percent(avg_roi), right: true },
  { title: 'BEST ROI', of: ({ best_roi }) => percent(best_roi), right: true },
];

const stats: Command = {
  name: 'stats',
  summary: 'Show statistics over the signals of a period',
  options: {
    type: { value: '<type>', help: 'only this type: new, 3d, 7d, 30d, wallet, premium' },
    period: { value: '<period>', help: 'signals created in the last 24h, 7d or 30d, or all (default)' },
    by: { value: '<interval>', help: 'one line per hour or day' },
    'as-of': asOfOption,
  },
  optionOf: { interval: '--by', as_of: '--as-of' },
  run: async ({ values, json, io, connect }) => {
    const sigcast = await connect();
    const [type, period, interval] = [values.text('type'), values.text('period'), values.text('by')];
    const query = {
      ...(type !== undefined && { type: type as SignalType }),
      ...(period !== undefined && { period: period as Period }),
    };
    if (interval !== undefined) {
      if (values.has('as-of')) throw wrongUsage('--as-of does not go with --by');
      const { data } = await sigcast.stats.series({ ...query, interval: interval as Interval });
      const lines = json ? [JSON.stringify(data)] : new Table(pointColumns).lines(data.points);
      for (const line of lines) io.print(line);
      return;
    }
    const as_of = values.text('as-of');
    const { data } = await sigcast.stats.get({ ...query, ...(as_of !== undefined && { as_of }) });
    if (json) {
      io.print(JSON.stringify(data));
      return;
    }
    const all = { total: data.total_signals, winners: data.winners, win_rate: data.win_rate };
    const rows = [...Object.entries(data.by_type), ['all', all] as const];
    for (const line of new Table(typeColumns).lines(rows)) io.print(line);
    io.print('');
    io.print(
      `Mean ROI ${percent(data.avg_roi)}, best ROI ${percent(data.best_roi)}, as of ${instant(data.as_of)}`,
    );
  },
};

export const statsCommands: readonly Command[] = [stats];
