import type { SignalType } from '@sigcast/contracts';
import { allTime, type Cell, dayMs, isWithin } from './cells.ts';
import type { Change, Span } from './change-log.ts';
import {
  type AmountsOf,
  addAmounts,
  addToPacked,
  amountsOfChange,
  type Distributions,
  mergePacked,
  packAll,
  type Sums,
  sumsOf,
} from './distribution.ts';

/** The sums of all cells that begin at an instant or later. */
type RunningSum = { fromMs: number; readonly distributions: Distributions };

/** There are four periods; some more for clocks that differ. */
const keptAtMost = 8;
/** A sum whose instant is this near is moved, cell by cell. */
const nearMs = 2 * dayMs;

export type RunningSums = ReturnType<typeof createRunningSums>;

/**
 * Distributions of the cells of a view. For each period that was asked for there is one sum of all its cells, which follows
 * every change and slides with time, so that a read adds up nothing but the documents of a cell that the period cuts.
 */
export function createRunningSums(amountsOf: AmountsOf, cellsIn: (span: Span) => Iterable<Cell>) {
  const kept: RunningSum[] = [];
  const unknown = new Set<Cell>();

  const merge = (cell: Cell, sign: 1 | -1) => {
    for (const { fromMs, distributions } of kept) {
      if (cell.distributions && cell.fromMs >= fromMs) mergePacked(distributions, cell.distributions, sign);
    }
  };
  const add = (cell: Cell) => {
    if (cell.distributions) merge(cell, 1);
    else unknown.add(cell);
  };
  const remove = (cell: Cell) => {
    merge(cell, -1);
    unknown.delete(cell);
  };

  const sumOf = (span: Span): Distributions => {
    const sum: Distributions = new Map();
    for (const cell of cellsIn(span)) {
      if (cell.distributions && isWithin(cell, span)) mergePacked(sum, cell.distributions);
    }
    return sum;
  };
  /** The sum from an instant on: the nearest there is, moved there, or a new one. */
  const runningFrom = (fromMs: number): Distributions => {
    const farMs = (sum: RunningSum) => Math.abs(sum.fromMs - fromMs);
    const nearest = kept.toSorted((a, b) => farMs(a) - farMs(b))[0];
    if (!nearest || farMs(nearest) > nearMs) {
      const distributions = sumOf({ fromMs, toMs: allTime.toMs });
      kept.unshift({ fromMs, distributions });
      kept.length = Math.min(kept.length, keptAtMost);
      return distributions;
    }
    const passed = { fromMs: Math.min(fromMs, nearest.fromMs), toMs: Math.max(fromMs, nearest.fromMs) };
    for (const { distributions, fromMs: beginsMs } of cellsIn(passed)) {
      if (!distributions || beginsMs < passed.fromMs) continue;
      mergePacked(nearest.distributions, distributions, fromMs > nearest.fromMs ? -1 : 1);
    }
    nearest.fromMs = fromMs;
    kept.splice(kept.indexOf(nearest), 1);
    kept.unshift(nearest);
    return nearest.distributions;
  };

  return {
    add,
    remove,
    packAll: (facts: Parameters<typeof packAll>[1]) => packAll(amountsOf, facts),

    /** Takes a change of a cell in. Where it can't be told what it adds, the cell is to be counted anew. */
    change(cell: Cell, change: Change): void {
      const added = amountsOfChange(amountsOf, change);
      if (!added) {
        remove(cell);
        cell.distributions = undefined;
        unknown.add(cell);
        return;
      }
      if (!cell.distributions) return;
      addToPacked(cell.distributions, change.type, added);
      for (const { fromMs, distributions } of kept) {
        if (cell.fromMs >= fromMs) addAmounts(sumsOf(distributions, change.type), added);
      }
    },

    /** The distributions of the whole cells of a span, and its cells of which they are not known. */
    sum(span: Span): { distributions: Distributions; unknown: Cell[] } {
      const sum = span.toMs === allTime.toMs ? runningFrom(span.fromMs) : sumOf(span);
      const copied = [...sum].map(([type, sums]): [SignalType, Sums] => [type, new Map(sums)]);
      return {
        distributions: new Map(copied),
        unknown: [...unknown].filter((cell) => isWithin(cell, span)),
      };
    },

    /** The first cell, from an instant on, of which they are not known. */
    firstUnknown(fromMs: number): Cell | undefined {
      let first: Cell | undefined;
      for (const cell of unknown) {
        if (cell.fromMs >= fromMs && cell.fromMs < (first?.fromMs ?? allTime.toMs)) first = cell;
      }
      return first;
    },
  };
}
