import { signalStatuses } from '@sigcast/contracts';
import type { TrackRecord, WholeStatistics } from '../domain/record.ts';
import { capital, changeOf, count, monthOf, orElse, percentOf, plural } from './figures.ts';

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
${orElse(() => outcomes(distribution.by_status, total_signals), '')}${winnersByMonth(statistics, months)}
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
/** A month with fewer signals says little: chance moves its share by ten percent and more. */
const fewSignals = 30;

/** A bar for each of the newest months: the share of its signals that won, from 0 to the next ten percent above the highest. */
function winnersByMonth({ as_of, distribution }: WholeStatistics, months: TrackRecord['months']): string {
  const drawn = months.slice(-drawnMonths);
  if (drawn.length === 0) return '';
  const scale = Math.max(10, ...drawn.map(({ win_rate }) => Math.ceil(win_rate / 10) * 10));
  const bars = drawn.map(({ from, win_rate, winners, total_signals }) => {
    const isOpen = monthOf(from) === monthOf(as_of);
    const note = isOpen ? ' <i>open</i>' : total_signals < fewSignals ? ' <i>few</i>' : '';
    const width = ((win_rate / scale) * barWidth).toFixed(1);
    const svg = `<svg viewBox="0 0 ${barWidth} 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="${barWidth}" height="8"/><rect class="winner${note && ' pale'}" width="${width}" height="8"/></svg>`;
    return `<li><span>${monthOf(from)}${note}</span>${svg}<b>${percentOf(win_rate, total_signals)}</b> <span>${count(winners)} of ${count(total_signals)}</span></li>`;
  });
  const active = orElse(() => {
    const { active: still } = distribution.by_status;
    return `${plural(still, 'signal is', 'signals are')} still active and can still win; newer months have had less time. `;
  }, '');
  return `<figure class="months"><figcaption>Won, by month of publication; the scale ends at ${scale}%</figcaption><ol>${bars.join('')}</ol><p>${active}Pale: the month is not over, or has fewer than ${fewSignals} signals.</p></figure>`;
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
