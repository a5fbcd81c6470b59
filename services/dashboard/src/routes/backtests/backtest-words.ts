import type { Backtest, BacktestListItem, BacktestParameters, BacktestSummary } from '@sigcast/client';
import type { BacktestStatus, ExitKind } from '@sigcast/contracts';
import {
  count,
  dayRange,
  decimal,
  exactTime,
  exactUsd,
  limit,
  minuteTime,
  plural,
  usd,
} from '../../ui/format.ts';
import type { Tone } from '../../ui/tone.ts';
import { exitWords, typeWords } from '../signals/signal-words.ts';
import { type FigureFilter, figureFilters } from './backtest-fields.ts';

type State = { readonly word: string; readonly tone: Tone };

const states: Readonly<Record<BacktestStatus, State>> = {
  queued: { word: 'Queued', tone: 'neutral' },
  running: { word: 'Running', tone: 'info' },
  completed: { word: 'Completed', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
};

/** A backtest's state in a word; one that bought nothing has no success to show. */
export function stateOf({ status, result }: Pick<BacktestListItem, 'status' | 'result'>): State {
  return result?.trades === 0 ? { word: 'No trades', tone: 'neutral' } : states[status];
}

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
    `at most ${heldFor(held)}`,
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
    ['Hold at most', heldFor(parameters.hold_hours)],
    ['Fee per trade', limit(costs.fee_percent)],
    ['Price impact', costs.price_impact ? 'Included' : 'Left out'],
    ['As of', exactTime(parameters.as_of)],
  ];
}

/** A time from purchase to sale, in the unit of the form: days beside it would be a second one. */
export const heldFor = (hours: number): string =>
  hours < 1 ? `${Math.round(hours * 60)} min` : `${decimal(hours)}\u00A0h`;

/** How many of the signals were bought and why others were not, and how many trades are not sold. */
export function boughtOf(result: BacktestSummary): string {
  const { trades, signals, not_bought: notBought, by_exit: exits } = result;
  const others = notBoughtOf(result);
  return [
    `${count(trades)} of ${plural(signals, 'signal')} were bought${others && `; ${others}`}.`,
    ...(notBought.no_entry === 0 ? [] : ['New signals have no price history yet.']),
    ...(exits.open === 0 ? [] : [`Trades not sold yet (${count(exits.open)}) count at their latest price.`]),
  ].join(' ');
}

/** Why signals were not bought, each reason with its number; empty where all were. */
function notBoughtOf({ not_bought: { no_entry: noEntry, filtered } }: BacktestSummary): string {
  return [
    ...(noEntry === 0 ? [] : [`${count(noEntry)} had no price to buy at`]),
    ...(filtered === 0 ? [] : [`${count(filtered)} did not pass the filters`]),
  ].join(', ');
}

/** Why a backtest without trades bought nothing. `now`: how many such signals there are now, if that is known. */
export function nothingBoughtOf(
  parameters: BacktestParameters,
  result: BacktestSummary,
  now?: number,
): string {
  const { delay_minutes: delay, as_of: asOf } = parameters;
  const { signals, not_bought: notBought } = result;
  if (signals === 0) {
    const none = `Sigcast had no matching signals on record at ${minuteTime(asOf)}, when this backtest ends.`;
    if (now === undefined) return none;
    if (now === 0) return `${none} There are none now either: choose more types or a longer period.`;
    return `${none} There ${now === 1 ? 'is' : 'are'} ${count(now)} now. Run it again to include ${now === 1 ? 'it' : 'them'}.`;
  }
  const found = plural(signals, 'signal');
  if (notBought.no_entry === 0) return `${found} matched, but none passed the filters.`;
  return [
    notBought.filtered === 0
      ? `${found} matched, but none had a price to buy at.`
      : `${found} matched: ${notBoughtOf(result)}.`,
    `Signals are bought at the first price recorded ${count(delay)} to ${count(delay + 60)} minutes after their creation.`,
    'Newer signals have no history yet, signals added later have none of that time, and dead or rugged tokens are not bought.',
  ].join(' ');
}

function typesOf(types: BacktestParameters['filters']['types']): string {
  return types.length === Object.keys(typeWords).length
    ? 'All types'
    : types.map((type) => typeWords[type]).join(', ');
}

function figureOf(name: FigureFilter, figure: number, money: (amount: number) => string): string {
  return name === 'min_holders' ? count(figure) : money(figure);
}
