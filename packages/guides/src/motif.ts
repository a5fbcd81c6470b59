import { type Observed, traceOf } from '@sigcast/look';

const hour = 3_600_000;
/** Multiples of the entry, hour by hour. Nobody's signal: the shape that the product is about. */
const multiples = [
  1, 1.08, 0.96, 1.2, 1.45, 1.3, 1.9, 2.6, 2.3, 3.4, 4.6, 3.7, 3.9, 2.9, 2.4, 2.6, 2.1, 1.8, 1.9, 1.6,
];
/** What is left of one that was rugged. */
const rugged = [
  1, 1.15, 1.05, 1.4, 1.9, 1.7, 2.4, 2.2, 0.3, 0.12, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
];

/** A trace as an ornament, which says nothing to those who can't see it. */
export function motif(shape: 'winner' | 'rugged'): string {
  const values = shape === 'winner' ? multiples : rugged;
  const points = values.map((value, at): Observed => ({ at: at * hour, value }));
  const [entry = { at: 0, value: 1 }] = points;
  const peak = points.reduce((best, point) => (point.value > best.value ? point : best), entry);
  const held = { from: hour, until: (shape === 'winner' ? 11 : 8) * hour };
  const {
    line,
    area,
    entryY,
    peak: top,
    band,
    end,
  } = traceOf({ entry, peak, points, held }, { width: 720, height: 120 }, 10);
  return `<svg class="motif" viewBox="-1 0 726 120" aria-hidden="true" focusable="false"><rect class="band" x="${band?.x}" width="${band?.width}" height="120"/><path class="level" d="M0 ${entryY}H720"/><path class="area" d="${area}"/><path class="line" d="${line}"/><path class="peak" d="M${top.x} ${top.y - 9}v7"/><circle class="end" cx="${end.x}" cy="${end.y}" r="3"/></svg>\n`;
}
