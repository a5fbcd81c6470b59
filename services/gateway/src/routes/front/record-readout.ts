import type { TrackRecord } from '../../domain/record.ts';
import { change, count, minute, monthOf, orElse, percentOf, plural } from '../figures.ts';

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

const unknown = ([tone, name]: readonly [string, string]): Figure => [tone, name, 'Unavailable', '–'];

function figuresOf({ statistics, months: [first] }: TrackRecord): Figure[] {
  const { total_signals, winners, win_rate, distribution, realizable } = statistics;
  const values: readonly (() => readonly [counted: number, what: string, value: string])[] = [
    () => [
      total_signals,
      `Every signal${first ? ` since ${monthOf(first.from)}` : ''}`,
      count(total_signals),
    ],
    () => [
      total_signals,
      `${count(winners)} of ${count(total_signals)}; <a href="/docs/statistics#how-outcomes-are-decided">who decides?</a>`,
      percentOf(win_rate, total_signals),
    ],
    () => {
      const { dead, rugged } = distribution.by_status;
      const share = percentOf(((dead + rugged) / total_signals) * 100, total_signals);
      return [total_signals, `${count(dead)} dead, ${count(rugged)} rugged`, share];
    },
    () => [
      distribution.ath_signals,
      `Half of ${plural(distribution.ath_signals, 'signal', 'signals')} rose higher at their peak`,
      change(distribution.ath_roi.median),
    ],
    () => [
      realizable.signals,
      `${plural(realizable.signals, 'order', 'orders')} of $100, by <a href="/docs/statistics#realizable-return">a fixed rule</a>, after costs`,
      change(realizable.avg_roi),
    ],
  ];
  return names.map(([tone, name], at) => {
    const known = orElse(() => values[at]?.(), undefined);
    if (known === undefined) return unknown([tone, name]);
    const [counted, what, value] = known;
    const sign = tone === 'accent' && value.startsWith('−') ? 'lost' : tone;
    return counted === 0 ? [tone, name, 'None yet', at === 0 ? '0' : '–'] : [sign, name, what, value];
  });
}
