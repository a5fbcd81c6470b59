import type { Backtest, BacktestParameters } from '@sigcast/client';
import type { BacktestStatus, ExitKind } from '@sigcast/contracts';
import { count, dayRange, decimal, exactTime, exactUsd, hours, limit, usd } from '../../ui/format.ts';
import type { Tone } from '../../ui/tone.ts';
import { exitWords, typeWords } from '../signals/signal-words.ts';
import { type FigureFilter, figureFilters } from './backtest-fields.ts';

export const backtestWords: Readonly<Record<BacktestStatus, { readonly word: string; readonly tone: Tone }>> =
  {
    queued: { word: 'Queued', tone: 'neutral' },
    running: { word: 'Running', tone: 'info' },
    completed: { word: 'Completed', tone: 'good' },
    failed: { word: 'Failed', tone: 'bad' },
  };

/** How trades ended, or that they are still open. */
export const tradeExitWords: Readonly<Record<ExitKind | 'open', string>> = {
  ...exitWords,
  open: 'Not sold',
};

/** The filters by the figures at the purchase. */
export const figureWords: Readonly<Record<FigureFilter, string>> = {
  min_mcap: 'Min. market cap',
  max_mcap: 'Max. market cap',
  min_liquidity: 'Min. liquidity',
  min_volume_24h: 'Min. 24 h volume',
  min_holders: 'Min. holders',
};

/** The days of a backtest's signals. */
export function spanOf({ filters }: BacktestParameters): string {
  return dayRange(filters.since, filters.until);
}

/** What a backtest is called: its name, or else the days of its signals. */
export function titleOf({ name, parameters }: Pick<Backtest, 'name' | 'parameters'>): string {
  return name ?? spanOf(parameters);
}

/** What is bought and when it is sold, in one line. */
export function ruleOf(parameters: BacktestParameters): string {
  const { filters, target, stop, hold_hours: held } = parameters;
  return [
    typesOf(filters.types),
    ...(filters.is_premium === null ? [] : [filters.is_premium ? 'premium' : 'not premium']),
    target === null ? 'no target' : `target ${decimal(target)}×`,
    stop === null ? 'no stop' : `stop ${decimal(stop)}×`,
    `at most ${hours(held)}`,
    ...(parameters.filter === null ? [] : ['conditions']),
    ...figureFilters.flatMap((name) => {
      const figure = filters[name];
      return figure === null ? [] : [`${figureWords[name].toLowerCase()} ${figureOf(name, figure, usd)}`];
    }),
  ].join(' · ');
}

/** All parameters of a backtest, each with its name. */
export function parametersOf(parameters: BacktestParameters): [string, string][] {
  const { filters, costs, delay_minutes: delay } = parameters;
  const { is_premium: isPremium } = filters;
  const { target, stop } = parameters;
  return [
    ['Signals created after', exactTime(filters.since)],
    ['Signals created until', exactTime(filters.until)],
    ['Types', typesOf(filters.types)],
    ['Premium', isPremium === null ? 'All signals' : isPremium ? 'Only premium signals' : 'Only others'],
    ...figureFilters.flatMap((name): [string, string][] => {
      const figure = filters[name];
      return figure === null ? [] : [[figureWords[name], figureOf(name, figure, exactUsd)]];
    }),
    ...(parameters.filter === null
      ? []
      : [['Conditions', JSON.stringify(parameters.filter)] satisfies [string, string]]),
    ['Delay', `${count(delay)} min`],
    ['Size', exactUsd(parameters.size_usd)],
    ['Target', target === null ? 'None' : `${decimal(target)}×`],
    ['Stop', stop === null ? 'None' : `${decimal(stop)}×`],
    ['Hold at most', `${count(parameters.hold_hours)} h`],
    ['Fee per trade', limit(costs.fee_percent)],
    ['Price impact', costs.price_impact ? 'Included' : 'Left out'],
    ['As of', exactTime(parameters.as_of)],
  ];
}

function typesOf(types: BacktestParameters['filters']['types']): string {
  return types.length === Object.keys(typeWords).length
    ? 'All types'
    : types.map((type) => typeWords[type]).join(', ');
}

function figureOf(name: FigureFilter, figure: number, money: (amount: number) => string): string {
  return name === 'min_holders' ? count(figure) : money(figure);
}
