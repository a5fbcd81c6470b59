import { percentile } from '../frame.ts';

/** How often, how long and with how many signals is measured. */
export type Sizes = { readonly rounds: number; readonly seconds: number; readonly signals: number };

/** What one contender did in one round. */
export type Round = {
  /** Units of work, such as requests. */
  readonly perSecond: number;
  /** Processor time of a unit, in microseconds. */
  readonly cpuUs: number;
  /** NaN where no process does the work alone. */
  readonly residentMb: number;
};

export type Row = { readonly contender: string; readonly rounds: readonly Round[] };

/** A comparison: rows that took turns, so that a row's round is compared with the same round of another one. */
export type Section = {
  readonly title: string;
  /** What is compared, and with which settings. */
  readonly text: string;
  /** A unit of work and several, such as `request` and `requests`. */
  readonly units: readonly [one: string, many: string];
  readonly rows: readonly Row[];
};

/** A section as Markdown: a table, whose last columns are the ratios of each row to the first ones, by their letters. */
export function sectionText({ title, text, units: [one, many], rows }: Section, besides = 1): string {
  const letters = rows.map((_, index) => String.fromCharCode(97 + index));
  const head = [
    ...['', `${many}/s`, `processor µs for one ${one}`, 'MB'],
    ...letters.slice(0, besides).map((letter) => `of (${letter})`),
  ];
  const lines = rows.map(({ contender, rounds }, index) => [
    `(${letters[index]}) ${contender}`,
    figure(median(rounds.map(({ perSecond }) => perSecond))),
    figure(median(rounds.map(({ cpuUs }) => cpuUs))),
    figure(median(rounds.map(({ residentMb }) => residentMb))),
    ...rows.slice(0, besides).map((beside) => ratio(rounds, beside.rounds)),
  ]);
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    `## ${title}`,
    '',
    text,
    '',
    row(head),
    row(head.map((_, column) => (column === 0 ? '---' : '--:'))),
    ...lines.map(row),
    '',
  ].join('\n');
}

/** The median of the ratios of equal rounds, with the lowest and the highest. */
function ratio(rounds: readonly Round[], besides: readonly Round[]): string {
  if (rounds === besides) return '1';
  const ratios = rounds.map(({ perSecond }, round) => perSecond / (besides[round]?.perSecond ?? Number.NaN));
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  return `${figure(median(ratios))} (${figure(low)}–${figure(high)})`;
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Three significant digits, with thousands apart. */
function figure(value: number): string {
  if (Number.isNaN(value)) return '–';
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}
