import type {
  GetStatisticsQuery,
  GetStatisticsSeriesQuery,
  SignalType,
  Statistics,
  StatisticsPoint,
  StatisticsSeries,
  TypeDistribution,
  TypeRealizableStatistics,
  TypeStatistics,
} from '../../generated/types.ts';
import { signalTypeValues } from '../../generated/types.ts';
import type { Command } from '../command.ts';
import { wrongUsage } from '../exits.ts';
import { count, instant, percent } from '../formats.ts';
import { type Column, Table } from '../table.ts';
import { asOfOption } from './signals.ts';

type TypeFigures = TypeStatistics & {
  readonly distribution?: TypeDistribution | undefined;
  readonly realizable?: TypeRealizableStatistics | undefined;
};
type TypeRow = readonly [string, TypeFigures];

const typeColumns: readonly Column<TypeRow>[] = [
  { title: 'TYPE', of: ([type]) => type },
  { title: 'SIGNALS', of: ([, { total }]) => count(total), right: true },
  { title: 'WINNERS', of: ([, { winners }]) => count(winners), right: true },
  { title: 'WIN RATE', of: ([, { win_rate }]) => percent(win_rate), right: true },
];

/** Columns for what `--include` adds. */
const includedColumns: Readonly<Record<'distribution' | 'realizable', readonly Column<TypeRow>[]>> = {
  distribution: [
    { title: 'MEDIAN ROI', of: ([, figures]) => percentOf(figures.distribution?.roi.median), right: true },
    {
      title: 'MEDIAN BEST',
      of: ([, figures]) => percentOf(figures.distribution?.ath_roi.median),
      right: true,
    },
  ],
  realizable: [
    { title: 'POSITIONS', of: ([, { realizable }]) => count(realizable?.signals ?? 0), right: true },
    { title: 'REALIZABLE', of: ([, { realizable }]) => percentOf(realizable?.avg_roi), right: true },
    { title: 'PROFITABLE', of: ([, { realizable }]) => percentOf(realizable?.profitable), right: true },
  ],
};

const pointColumns: readonly Column<StatisticsPoint>[] = [
  { title: 'FROM', of: ({ from }) => instant(from) },
  { title: 'SIGNALS', of: ({ total_signals }) => count(total_signals), right: true },
  { title: 'WINNERS', of: ({ winners }) => count(winners), right: true },
  { title: 'WIN RATE', of: ({ win_rate }) => percent(win_rate), right: true },
  { title: 'MEAN ROI', of: ({ avg_roi }) => percent(avg_roi), right: true },
  { title: 'BEST ROI', of: ({ best_roi }) => percent(best_roi), right: true },
];

const realizablePointColumn: Column<StatisticsPoint> = {
  title: 'REALIZABLE',
  of: ({ realizable }) => percentOf(realizable?.avg_roi),
  right: true,
};

const percentOf = (value: number | undefined) => (value === undefined ? '–' : percent(value));

const stats: Command = {
  name: 'stats',
  summary: 'Show statistics over the signals of a period',
  options: {
    type: { value: '<type>', help: `only this type: ${signalTypeValues.join(', ')}` },
    period: { value: '<period>', help: 'signals created in the last 24h, 7d or 30d, or all (default)' },
    by: { value: '<interval>', help: 'one line per hour, day or week' },
    include: {
      value: '<members>',
      help: 'more figures: realizable, what a small order earned; distribution, percentiles',
    },
    'as-of': asOfOption,
  },
  details: 'A table has the medians of the distribution; --json has all figures of it.',
  optionOf: { interval: '--by', as_of: '--as-of' },
  run: async ({ values, show, connect }) => {
    const sigcast = await connect();
    const interval = values.text('by');
    if (interval !== undefined) {
      if (values.has('as-of')) throw wrongUsage('--as-of does not go with --by');
      const query = values.parameters('type', 'period', 'include') as GetStatisticsSeriesQuery;
      const { data } = await sigcast.stats.series({
        ...query,
        interval: interval as StatisticsSeries['interval'],
      });
      const columns = values.has('include') ? [...pointColumns, realizablePointColumn] : pointColumns;
      show(data, () => new Table(columns).lines(data.points));
      return;
    }
    const query = values.parameters('type', 'period', 'include', 'as-of') as GetStatisticsQuery;
    const { data } = await sigcast.stats.get(query);
    const columns = (['distribution', 'realizable'] as const).flatMap((name) =>
      data[name] === undefined ? [] : includedColumns[name],
    );
    show(data, () => [
      ...new Table([...typeColumns, ...columns]).lines(rowsOf(data)),
      '',
      `Mean ROI ${percent(data.avg_roi)}, best ROI ${percent(data.best_roi)}, as of ${instant(data.as_of)}`,
    ]);
  },
};

function rowsOf({ by_type, distribution, realizable, ...figures }: Statistics): TypeRow[] {
  const types = (Object.keys(by_type) as SignalType[]).flatMap((type) => {
    const figuresOfType = by_type[type];
    if (figuresOfType === undefined) return [];
    const included = {
      distribution: distribution?.by_type[type],
      realizable: realizable?.by_type[type],
    };
    return [[type, { ...figuresOfType, ...included }] as const];
  });
  const { total_signals: total, winners, win_rate } = figures;
  return [...types, ['all', { total, winners, win_rate, distribution, realizable }]];
}

export const statsCommands: readonly Command[] = [stats];
