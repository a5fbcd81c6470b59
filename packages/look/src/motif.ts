import { type Observed, type Size, type Trace, traceOf } from './trace.ts';

const hour = 3_600_000;
/** Multiples of the entry, hour by hour. Nobody's signal: the shape that the product is about. */
const winner = [
  1, 1.08, 0.96, 1.2, 1.45, 1.3, 1.9, 2.6, 2.3, 3.4, 4.6, 3.7, 3.9, 2.9, 2.4, 2.6, 2.1, 1.8, 1.9, 1.6,
];
/** What is left of one that was rugged. */
const rugged = [
  1, 1.15, 1.05, 1.4, 1.9, 1.7, 2.4, 2.2, 0.3, 0.12, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
];

/** A trace as an ornament: it shows no data. @param inset see {@link traceOf}. */
export function motifOf(shape: 'winner' | 'rugged', size: Size, inset: number): Trace {
  const values = shape === 'winner' ? winner : rugged;
  const points = values.map((value, at): Observed => ({ at: at * hour, value }));
  const [entry = { at: 0, value: 1 }] = points;
  const peak = points.reduce((best, point) => (point.value > best.value ? point : best), entry);
  const held = { from: hour, until: (shape === 'winner' ? 11 : 8) * hour };
  return traceOf({ entry, peak, points, held }, size, inset);
}
