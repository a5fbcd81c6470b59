import { signalStatuses } from '@sigcast/contracts';
import type { WholeStatistics } from '../domain/record.ts';
import { capital, changeOf, count, percentOf } from './figures.ts';

/** What leads the record, as HTML: its main figures, and what became of the signals as one bar. */
export function recordLead({ total_signals, win_rate, distribution, realizable }: WholeStatistics): string {
  const { by_status, ath_roi, ath_signals } = distribution;
  const figures = [
    ['Signals', count(total_signals)],
    ['Won', percentOf(win_rate, total_signals)],
    ['Median peak', changeOf(ath_roi.median, ath_signals)],
    ['Mean realizable', changeOf(realizable.avg_roi, realizable.signals)],
  ] as const;
  const shown = figures.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`);
  const keys = signalStatuses.map((status) => {
    const signals = by_status[status];
    const share = percentOf(shareOf(signals, total_signals), total_signals);
    return `<li class="${status}">${capital(status)} <b>${count(signals)}</b> ${share}</li>`;
  });
  return `<dl class="figures">${shown.join('')}</dl>
<div class="outcomes">${bar(by_status, total_signals)}<ul>${keys.join('')}</ul></div>
`;
}

/** The width that the shares of the bar are measured in. */
const barWidth = 1_000;

function bar(byStatus: WholeStatistics['distribution']['by_status'], total: number): string {
  let x = 0;
  const parts = signalStatuses.map((status) => {
    const width = (shareOf(byStatus[status], total) / 100) * barWidth;
    const part = `<rect class="${status}" x="${x.toFixed(1)}" width="${width.toFixed(1)}" height="8"/>`;
    x += width;
    return part;
  });
  return `<svg viewBox="0 0 ${barWidth} 8" preserveAspectRatio="none" aria-hidden="true">${parts.join('')}</svg>`;
}

const shareOf = (part: number, total: number) => (total === 0 ? 0 : (100 * part) / total);
