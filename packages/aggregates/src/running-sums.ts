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
  type PackedDistributions,
  packAll,
  type Sums,
  sumsOf,
} from './distribution.ts';

/** The sums of all cells that begin at an instant or later. */
type RunningSum = { fromMs: number; readonly distributions: Distributions };

/** Running sums kept at most: there are four periods, and some more for clocks that differ. */
const maxKept = 8;
/** A running sum that begins within this distance is moved cell by cell. */
const nearMs = 2 * dayMs;

export type RunningSums = ReturnType<typeof createRunningSums>;

/**
 * One distribution of the cells of a view. Each period that is read has a running sum of its cells, which follows changes and
 * moves with time. So a read adds only the documents of a cell that is partly in the period.
 */
export function createRunningSums(
  name: string,
  amountsOf: AmountsOf,
  cellsIn: (span: Span) => Iterable<Cell>,
) {
  const kept: RunningSum[] = [];
  const packedOf = ({ distributions }: Cell): PackedDistributions => {
    const packed = distributions.get(name);
    if (!packed) throw new Error(`a cell lacks the distribution ${name}`);
    return packed;
  };

  const merge = (cell: Cell, sign: 1 | -1) => {
    for (const { fromMs, distributions } of kept) {
      if (cell.fromMs >= fromMs) mergePacked(distributions, packedOf(cell), sign);
    }
  };

  const sumOf = (span: Span): Distributions => {
    const sum: Distributions = new Map();
    for (const cell of cellsIn(span)) if (isWithin(cell, span)) mergePacked(sum, packedOf(cell));
    return sum;
  };
  /** The running sum from an instant on: the nearest one, moved there, or a new one. */
  const runningFrom = (fromMs: number): Distributions => {
    const farMs = (sum: RunningSum) => Math.abs(sum.fromMs - fromMs);
    const nearest = kept.toSorted((a, b) => farMs(a) - farMs(b))[0];
    if (!nearest || farMs(nearest) > nearMs) {
      const distributions = sumOf({ fromMs, toMs: allTime.toMs });
      kept.unshift({ fromMs, distributions });
      kept.length = Math.min(kept.length, maxKept);
      return distributions;
    }
    const passed = { fromMs: Math.min(fromMs, nearest.fromMs), toMs: Math.max(fromMs, nearest.fromMs) };
    for (const cell of cellsIn(passed)) {
      if (cell.fromMs < passed.fromMs) continue;
      mergePacked(nearest.distributions, packedOf(cell), fromMs > nearest.fromMs ? -1 : 1);
    }
    nearest.fromMs = fromMs;
    kept.splice(kept.indexOf(nearest), 1);
    kept.unshift(nearest);
    return nearest.distributions;
  };

  return {
    amountsOf,
    add: (cell: Cell) => merge(cell, 1),
    remove: (cell: Cell) => merge(cell, -1),
    packAll: (facts: Parameters<typeof packAll>[1]) => packAll(amountsOf, facts),

    /** Adds a change of a cell. */
    change(cell: Cell, change: Change): void {
      const added = amountsOfChange(amountsOf, change);
      addToPacked(packedOf(cell), change.type, added);
      for (const { fromMs, distributions } of kept) {
        if (cell.fromMs >= fromMs) addAmounts(sumsOf(distributions, change.type), added);
      }
    },

    /** The sums of the cells entirely in a span. */
    sum(span: Span): Distributions {
      const sum = span.toMs === allTime.toMs ? runningFrom(span.fromMs) : sumOf(span);
      return new Map([...sum].map(([type, sums]): [SignalType, Sums] => [type, new Map(sums)]));
    },

    /** Adds the sums of keys below `belowKey` of these cells, each to the distributions at its beginning. */
    addEach(span: Span, at: (ms: number) => Distributions, belowKey: number): void {
      for (const cell of cellsIn(span)) {
        if (isWithin(cell, span)) mergePacked(at(cell.fromMs), packedOf(cell), 1, belowKey);
      }
    },
  };
}
