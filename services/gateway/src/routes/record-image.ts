import { escapeHtml } from '@sigcast/guides';
import type { TrackRecord } from '../domain/record.ts';
import { changeOf, count, minute, orElse, percentOf, plural } from './figures.ts';

/** The record's main figures as a picture (SVG), which needs no font and no file of ours. */
export function recordImage({ statistics, log }: TrackRecord): string {
  const { total_signals, win_rate, distribution, realizable, as_of } = statistics;
  const figures = [
    ['signals', count(total_signals)],
    ['won', percentOf(win_rate, total_signals)],
    ['median peak', orElse(() => changeOf(distribution.ath_roi.median, distribution.ath_signals), '–')],
    ['mean realizable', orElse(() => changeOf(realizable.avg_roi, realizable.signals), '–')],
  ] as const;
  const shown = figures.map(([name, value], n) => {
    const x = 32 + n * 150;
    return `<text x="${x}" y="104" font-size="28" fill="#fafaf8">${value}</text><text x="${x}" y="128" font-size="12" fill="#9ba4b3">${name}</text>`;
  });
  const proof =
    log === null || log === 'away'
      ? ''
      : ` · ${plural(log.entries, 'entry', 'entries')} in the log ${escapeHtml(log.origin)}`;
  const alternative = figures.map(([name, value]) => `${value} ${name}`).join(', ');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="176" viewBox="0 0 640 176" role="img" font-family="ui-sans-serif, system-ui, sans-serif">
<title>Sigcast record: ${alternative}, as of ${minute(as_of)}</title>
<rect width="640" height="176" rx="6" fill="#0b0d0e"/>
<text x="32" y="48" font-size="16" font-weight="600" fill="#c6f24e">Sigcast record</text>
${shown.join('\n')}
<text x="32" y="156" font-size="12" fill="#9ba4b3">${minute(as_of)}${proof}</text>
</svg>
`;
}
