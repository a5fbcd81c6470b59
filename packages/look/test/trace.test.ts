import { describe, expect, it } from 'vitest';
import { levelWord, traceOf } from '../src/index.ts';

const size = { width: 100, height: 60 };
const entry = { at: 1_000, value: 50 };
const traced = {
  entry,
  peak: { at: 1_040, value: 200 },
  points: [
    { at: 1_020, value: 100 },
    { at: 1_100, value: 25 },
  ],
};

describe('the trace of a signal', () => {
  it('goes from the entry over the peak to the newest observation, on a logarithmic scale', () => {
    const trace = traceOf(traced, size, 0);
    expect(trace.line).toBe('M0 40L20 20L40 0L100 60');
    expect(trace.area).toBe('M0 40L20 20L40 0L100 60L100 40L0 40Z');
    expect(trace).toMatchObject({ entryY: 40, peak: { x: 40, y: 0 }, end: { x: 100, y: 60 } });
    expect(trace.levels).toEqual([
      { multiple: 0.5, y: 60 },
      { multiple: 1, y: 40 },
      { multiple: 2, y: 20 },
      { multiple: 4, y: 0 },
    ]);
  });

  it('of a few percent fills the scale, whose lines are at round percentages', () => {
    const points = [
      { at: 1_020, value: 53 },
      { at: 1_100, value: 51 },
    ];
    const trace = traceOf({ entry, peak: { at: 1_020, value: 53 }, points }, size, 0);
    expect(trace.levels.map(({ multiple }) => levelWord(multiple))).toEqual(['−5%', 'entry', '+5%', '+10%']);
    expect(trace.peak.y).toBeLessThan(15);
  });

  it('begins later than the entry where it is asked to, on the same scale', () => {
    const trace = traceOf({ ...traced, from: 1_030 }, size, 0);
    expect(trace.line).toBe('M14.3 0L100 60');
    expect(trace.entryY).toBe(40);
  });

  it('shades an order that is not sold up to the end', () => {
    expect(traceOf({ ...traced, held: { from: 1_050, until: null } }, size).band).toEqual({
      x: 50,
      width: 50,
    });
  });

  it('is a line at the level of the entry for a signal that was only just created', () => {
    const trace = traceOf({ entry, peak: entry, points: [] }, size, 0);
    expect(trace).toMatchObject({ line: 'M0 30', entryY: 30, peak: { x: 0, y: 30 } });
  });

  it('leaves out what has no place on the scale, and puts what lies outside of the range at its end', () => {
    const trace = traceOf({ ...traced, points: [{ at: 1_100, value: 0 }], changes: [900, 9_000] }, size, 0);
    expect(trace.line).not.toMatch(/NaN|Infinity/);
    expect(trace.flags).toEqual([0, 100]);
  });
});
