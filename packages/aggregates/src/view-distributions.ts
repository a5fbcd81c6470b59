import { type Cell, type CountedFact, fromStored } from './cells.ts';
import type { Change, Span, StoredCell } from './change-log.ts';
import type { DistributionSources, KnownDistributions } from './distribution.ts';
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
    ofNone(): KnownDistributions {
      const none: KnownDistributions = new Map();
      for (const name of names) none.set(name, new Map());
      return none;
    },
    /** Those of some documents, but for unknown ones. */
    packAll(facts: readonly CountedFact[]): KnownDistributions {
      const packed: KnownDistributions = new Map();
      for (const [name, each] of sums) {
        const known = each.packAll(facts);
        if (known) packed.set(name, known);
      }
      return packed;
    },
    /** The first cell from an instant on of which one is unknown. */
    firstUnknown(fromMs: number): Cell | undefined {
      const found = [...sums.values()].flatMap((each) => each.firstUnknown(fromMs) ?? []);
      return found.sort((a, b) => a.fromMs - b.fromMs)[0];
    },
  };
}
