import type { TrackRecord } from '../../domain/record.ts';
import { change, count, minute, monthOf, percentOf } from '../figures.ts';

/** A figure: the class of its colour, what it is, what it counts (HTML), and its value. */
type Figure = readonly [tone: string, name: string, what: string, value: string];

/** The main figures of the record, each with what it counts; without values while the record can't be read. */
export function recordReadout(record: TrackRecord | 'away'): string {
  const text =
    record === 'away'
      ? 'Unavailable right now.'
      : `As of ${minute(record.statistics.as_of)}. <a href="/record">Full record</a>`;
  const figures = record === 'away' ? names.map(unknown) : figuresOf(record);
  const rows = figures.map(
    ([tone, name, what, value]) =>
      `<div class="${tone}"><dt>${name}</dt><dd>${what}</dd><dd>${value}</dd></div>`,
  );
  return `<section class="readout" aria-labelledby="record"><header><h2 id="record">The record</h2><p>${text}</p></header><dl>${rows.join('')}</dl></section>`;
}

const names = [
  ['all', 'Signals'],
  ['gain', 'Won'],
  ['loss', 'Dead or rugged'],
  ['peak', 'Median peak'],
  ['accent', 'Mean result'],
] as const;

const unknown = ([tone, name]: (typeof names)[number]): Figure => [tone, name, 'Unavailable', '–'];

function figuresOf({ statistics, months: [first] }: TrackRecord): Figure[] {
  const { total_signals, winners, win_rate, distribution, realizable } = statistics;
  const { by_status, ath_roi, ath_signals } = distribution;
  const { dead, rugged } = by_status;
  const values: readonly (readonly [counted: number, what: string, value: string])[] = [
    [total_signals, `Every signal since ${first && monthOf(first.from)}`, count(total_signals)],
    [
      total_signals,
      `${count(winners)} of ${count(total_signals)}; <a href="/docs/statistics#how-outcomes-are-decided">who decides?</a>`,
      percentOf(win_rate, total_signals),
    ],
    [
      total_signals,
      `${count(dead)} dead, ${count(rugged)} rugged`,
      percentOf(((dead + rugged) / total_signals) * 100, total_signals),
    ],
    [ath_signals, `Half of ${count(ath_signals)} signals rose higher at their peak`, change(ath_roi.median)],
    [
      realizable.signals,
      `${count(realizable.signals)} orders of $100, by <a href="/docs/statistics#realizable-return">a fixed rule</a>, after costs`,
      change(realizable.avg_roi),
    ],
  ];
  return names.map(([tone, name], at) => {
    const [counted, what, value] = values[at] ?? [0, '', ''];
    return counted === 0 ? [tone, name, 'None yet', at === 0 ? '0' : '–'] : [tone, name, what, value];
  });
}
