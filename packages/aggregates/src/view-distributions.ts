import { type Cell, type CountedFact, fromStored } from './cells.ts';
import type { Change, Span, StoredCell } from './change-log.ts';
import type { CellDistributions, DistributionSources } from './distribution.ts';
import { createRunningSums, type RunningSums } from './running-sums.ts';

/** All distributions of the cells of a view, by name. */
export function createViewDistributions(
  sources: DistributionSources,
  cellsIn: (span: Span) => Iterable<Cell>,
) {
  const sums: ReadonlyMap<string, RunningSums> = new Map(
    Object.entries(sources).map(([name, source]) => [name, createRunningSums(name, source, cellsIn)]),
  );
  const names = [...sums.keys()];
  return {
    names,
    /** A distribution. @throws {Error} where the source has none of this name. */
    get(name: string): RunningSums {
      const found = sums.get(name);
      if (!found) throw new Error(`there is no distribution ${name}`);
      return found;
    },
    add(cell: Cell): void {
      for (const each of sums.values()) each.add(cell);
    },
    remove(cell: Cell): void {
      for (const each of sums.values()) each.remove(cell);
    },
    change(cell: Cell, change: Change): void {
      for (const each of sums.values()) each.change(cell, change);
    },

    toCell: (stored: StoredCell): Cell => fromStored(stored, names),
    /** Those of a cell without documents. */
    ofNone: (): CellDistributions => new Map(names.map((name) => [name, new Map()])),
    /** Those of some documents. */
    packAll: (facts: readonly CountedFact[]): CellDistributions =>
      new Map([...sums].map(([name, each]) => [name, each.packAll(facts)])),
  };
}
