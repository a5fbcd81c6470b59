import { motifOf } from '@sigcast/look';

/** A trace as an ornament, which says nothing to those who can't see it. */
export function motif(shape: 'winner' | 'rugged'): string {
  const { line, area, entryY, peak: top, band, end } = motifOf(shape, { width: 720, height: 120 }, 10);
  return `<svg class="motif" viewBox="-1 0 726 120" aria-hidden="true" focusable="false"><rect class="band" x="${band?.x}" width="${band?.width}" height="120"/><path class="level" d="M0 ${entryY}H720"/><path class="area" d="${area}"/><path class="line" d="${line}"/><path class="peak" d="M${top.x} ${top.y - 9}v7"/><circle class="end" cx="${end.x}" cy="${end.y}" r="3"/></svg>\n`;
}
