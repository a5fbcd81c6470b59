import type { SignalType } from '@sigcast/contracts';
import { allTime, type Cell, dayMs, isWithin } from './cells.ts';
import type { Change, Span } from './change-log.ts';
import {
  addAmounts,
  addToPacked,
  amountsOfChange,
  type DistributionSources,
  type Distributions,
  mergePacked,
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
  { title, amountsOf }: DistributionSources[string],
  cellsIn: (span: Span) => Iterable<Cell>,
) {
  const kept: RunningSum[] = [];
  const unknown = new Set<Cell>();
  const packedOf = ({ distributions }: Cell) => distributions.get(name);

  const merge = (cell: Cell, sign: 1 | -1) => {
    const packed = packedOf(cell);
    for (const { fromMs, distributions } of kept) {
      if (packed && cell.fromMs >= fromMs) mergePacked(distributions, packed, sign);
    }
  };
  const add = (cell: Cell) => {
    if (packedOf(cell)) merge(cell, 1);
    else unknown.add(cell);
  };
  const remove = (cell: Cell) => {
    merge(cell, -1);
    unknown.delete(cell);
  };

  const sumOf = (span: Span): Distributions => {
    const sum: Distributions = new Map();
    for (const cell of cellsIn(span)) {
      const packed = packedOf(cell);
      if (packed && isWithin(cell, span)) mergePacked(sum, packed);
    }
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
      const packed = packedOf(cell);
      if (!packed || cell.fromMs < passed.fromMs) continue;
      mergePacked(nearest.distributions, packed, fromMs > nearest.fromMs ? -1 : 1);
    }
    nearest.fromMs = fromMs;
    kept.splice(kept.indexOf(nearest), 1);
    kept.unshift(nearest);
    return nearest.distributions;
  };

  return {
    ...{ title, amountsOf, add, remove },
    packAll: (facts: Parameters<typeof packAll>[1]) => packAll(amountsOf, facts),

    /** Adds a change of a cell. The cell's sums become unknown where the change's amounts are. */
    change(cell: Cell, change: Change): void {
      const added = amountsOfChange(amountsOf, change);
      if (!added) {
        remove(cell);
        cell.distributions.delete(name);
        unknown.add(cell);
        return;
      }
      const packed = packedOf(cell);
      if (!packed) return;
      addToPacked(packed, change.type, added);
      for (const { fromMs, distributions } of kept) {
        if (cell.fromMs >= fromMs) addAmounts(sumsOf(distributions, change.type), added);
      }
    },

    /** The sums of the cells entirely in a span, but for unknown ones. */
    sum(span: Span): Distributions {
      const sum = span.toMs === allTime.toMs ? runningFrom(span.fromMs) : sumOf(span);
      return new Map([...sum].map(([type, sums]): [SignalType, Sums] => [type, new Map(sums)]));
    },

    /** Adds the sums of keys below `belowKey` of these cells, each to the distributions at its beginning. */
    addEach(span: Span, at: (ms: number) => Distributions, belowKey: number): void {
      for (const cell of cellsIn(span)) {
        const packed = packedOf(cell);
        if (packed && isWithin(cell, span)) mergePacked(at(cell.fromMs), packed, 1, belowKey);
      }
    },

    /** The cells entirely in a span whose sums are unknown. */
    unknownIn: (span: Span): Cell[] => [...unknown].filter((cell) => isWithin(cell, span)),

    /** The first cell from an instant on whose sums are unknown. */
    firstUnknown(fromMs: number): Cell | undefined {
      let first: Cell | undefined;
      for (const cell of unknown) {
        if (cell.fromMs >= fromMs && cell.fromMs < (first?.fromMs ?? allTime.toMs)) first = cell;
      }
      return first;
    },
  };
}
