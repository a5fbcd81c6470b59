import { signalStatuses } from '@sigcast/contracts';
import type { TrackRecord, WholeStatistics } from '../domain/record.ts';
import { capital, changeOf, count, monthOf, orElse, percentOf } from './figures.ts';

/** What leads the record, as HTML: its main figures, what became of the signals as one bar, and the winners of each month. */
export function recordLead(statistics: WholeStatistics, months: TrackRecord['months']): string {
  const { total_signals, win_rate, distribution, realizable } = statistics;
  const figures = [
    ['Signals', () => count(total_signals)],
    ['Won', () => percentOf(win_rate, total_signals)],
    ['Median peak', () => changeOf(distribution.ath_roi.median, distribution.ath_signals)],
    ['Mean realizable', () => changeOf(realizable.avg_roi, realizable.signals)],
  ] as const;
  const shown = figures.map(([name, value]) => {
    const text = orElse(value, '–');
    return `<div><dt>${name}</dt><dd${text.startsWith('−') ? ' class="lost"' : ''}>${text}</dd></div>`;
  });
  return `<dl class="figures">${shown.join('')}</dl>
${orElse(() => outcomes(distribution.by_status, total_signals), '')}${winnersByMonth(months)}
`;
}

function outcomes(byStatus: WholeStatistics['distribution']['by_status'], total: number): string {
  const keys = signalStatuses.map((status) => {
    const share = percentOf(shareOf(byStatus[status], total), total);
    return `<li class="${status}">${capital(status)} <b>${count(byStatus[status])}</b> ${share}</li>`;
  });
  return `<div class="outcomes">${bar(byStatus, total)}<ul>${keys.join('')}</ul></div>`;
}

/** The months that are drawn, at most: what a glance takes in. A table has all of them. */
const drawnMonths = 12;

/** A bar for each of the newest months: the share of its signals that won, compared with the highest share. */
function winnersByMonth(months: TrackRecord['months']): string {
  const drawn = months.slice(-drawnMonths);
  if (drawn.length === 0) return '';
  const highest = Math.max(1, ...drawn.map(({ win_rate }) => win_rate));
  const bars = drawn.map(({ from, win_rate, winners, total_signals }) => {
    const width = ((win_rate / highest) * barWidth).toFixed(1);
    const svg = `<svg viewBox="0 0 ${barWidth} 8" preserveAspectRatio="none" aria-hidden="true"><rect class="winner" width="${width}" height="8"/></svg>`;
    return `<li><span>${monthOf(from)}</span>${svg}<b>${percentOf(win_rate, total_signals)}</b> <span>${count(winners)} of ${count(total_signals)}</span></li>`;
  });
  return `<figure class="months"><figcaption>Won, by month of publication</figcaption><ol>${bars.join('')}</ol></figure>`;
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
