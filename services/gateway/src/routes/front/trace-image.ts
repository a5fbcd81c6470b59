import { escapeHtml } from '@sigcast/guides';
import { levelWord, type Size, type Traced, traceOf } from '@sigcast/look';
import { duration } from '../figures.ts';

/** A change of the status: its word, and whether it is good or bad. */
export type Flag = { readonly at: number; readonly word: string; readonly tone: 'gain' | 'loss' };

/** What a picture of a trace shows. */
export type TraceImage = {
  readonly traced: Omit<Traced, 'changes'>;
  readonly flags: readonly Flag[];
  /** How high the peak is, in words. */
  readonly peaked: string;
  /** The same in words. */
  readonly alternative: string;
};

/** Pixels: what is left of the trace for its scale, and below it for flags and times. */
const [scaleWidth, axisHeight] = [48, 44];
/** How near to each other flags may be, in pixels; of nearer ones only the first has its word. */
const flagWidth = 64;

/** The trace of a signal as a picture (SVG), which takes its colours from the page. */
export function traceImage(
  { traced, flags, peaked, alternative }: TraceImage,
  size: Size,
  name: string,
): string {
  const inner = { width: size.width - scaleWidth, height: size.height - axisHeight };
  const { area, line, band, end, peak, levels, x } = traceOf(traced, inner, 18);
  const scale = levels.map(({ multiple, y }) => {
    return `<path class="${multiple === 1 ? 'entry' : 'level'}" d="M0 ${y}H${inner.width}"/><text x="${inner.width + 8}" y="${y + 4}">${levelWord(multiple)}</text>`;
  });
  const held =
    band && `<rect class="band" x="${band.x}" width="${band.width}" y="0" height="${inner.height}"/>`;
  let free = Number.NEGATIVE_INFINITY;
  const flagged = flags.map(({ at, word, tone }) => {
    const left = x(at);
    const pole = `<path class="${tone}" d="M${left} ${inner.height - 10}v18"/>`;
    if (left < free) return pole;
    free = left + flagWidth;
    const isRight = left > inner.width - flagWidth;
    return `${pole}<text class="${tone}" x="${isRight ? left - 6 : left + 6}" y="${inner.height + 16}"${isRight ? ' text-anchor="end"' : ''}>${escapeHtml(word)}</text>`;
  });
  const lastMs = lastOf(traced) - traced.entry.at;
  const times = [
    [0, 'start', 'signal'],
    [inner.width / 2, 'middle', duration(lastMs / 2)],
    [inner.width, 'end', duration(lastMs)],
  ].map(
    ([at, anchor, word]) => `<text x="${at}" y="${size.height - 6}" text-anchor="${anchor}">${word}</text>`,
  );
  const peakAnchor = peak.x > inner.width - 110 ? ' text-anchor="end"' : '';
  const peakTop = Math.max(0, Math.round(peak.y - 16));
  return `<svg class="trace ${name}" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escapeHtml(alternative)}">
${scale.join('')}${held ?? ''}<path class="area" d="${area}"/><path class="line" d="${line}"/><path class="axis" d="M0 ${inner.height}H${inner.width}"/>
<path class="peak" d="M${peak.x} ${peakTop}v10"/><text class="peak" x="${peakAnchor ? peak.x - 6 : peak.x + 6}" y="${peakTop + 9}"${peakAnchor}>peak ${peaked}</text><circle class="end" cx="${end.x}" cy="${end.y}" r="3"/>
${flagged.join('')}${times.join('')}
</svg>`;
}

/** The last instant that the trace shows. */
function lastOf({ entry, peak, points }: Pick<Traced, 'entry' | 'peak' | 'points'>): number {
  return Math.max(entry.at, peak.at, ...points.map(({ at }) => at));
}
