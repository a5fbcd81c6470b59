import { unavailable } from '@sigcast/contracts';
import type { Span } from './change-log.ts';
import { add, type Figures, type Measure, subtract, valuesOf } from './figures.ts';
import { notCounted, type Replica } from './replica.ts';
import type { Source } from './source.ts';
import { type Cell, type CellFacts, figuresAt, isIn, type Series, type View } from './view.ts';

export type ReaderParts = {
  readonly source: Source;
  readonly measures: readonly Measure[];
  readonly replica: Replica;
  readonly now: () => Date;
  /** Takes in what is dirty. */
  readonly refresh: () => Promise<boolean>;
};

/** A look this old is good enough for figures of up to a second ago. */
const maxLookAgeMs = 800;
/** Who finds figures older than this takes the changes in, whoever else should have. */
export const maxLagMs = 900;
/** The documents of so many cells are kept in memory. */
const maxCellsRead = 100;
/** Rounds in which cells that a read needs were divided or forgotten, until something must be wrong. */
const maxRounds = 50;

/** Reads figures from the view. The documents of cells that a span cuts are read from the source, and kept. */
export function openReader({ source, measures, replica, now, refresh }: ReaderParts) {
  const kept = new Set<Cell>();
  const reading = new Map<Cell, Promise<void>>();

  const readFacts = async (view: View, cell: Cell) => {
    if (kept.size >= maxCellsRead) {
      for (const each of kept) each.facts = undefined;
      kept.clear();
    }
    kept.add(cell);
    // Changes that are taken in meanwhile are noted here, too.
    const facts: CellFacts = cell.facts ?? { isComplete: false, byId: new Map() };
    cell.facts = facts;
    for (const fact of await view.countedIn(source, cell)) {
      if (fact.rev > (facts.byId.get(fact.id)?.rev ?? 0)) facts.byId.set(fact.id, fact);
    }
    // Documents that were read just now may be counted by batches that the view does not have yet.
    await replica.catchUp();
    facts.isComplete = true;
  };
  const readOnce = (view: View, cell: Cell): Promise<void> => {
    const begun = reading.get(cell) ?? readFacts(view, cell).finally(() => reading.delete(cell));
    reading.set(cell, begun);
    return begun;
  };

  /** The figures of a span as the view has them now; or else how to read the documents that they need. */
  const sum = (view: View, span: Span, series?: Series): Figures | (() => Promise<unknown>) => {
    const { figures, cut } = view.sum(span, series);
    const missing = cut.filter(({ facts }) => !facts?.isComplete);
    if (missing.length > 0) return () => Promise.all(missing.map((cell) => readOnce(view, cell)));
    for (const { facts } of cut) {
      for (const { type, createdAtMs, state } of facts?.byId.values() ?? []) {
        if (!isIn(span, createdAtMs)) continue;
        add(measures, series ? figuresAt(series, createdAtMs) : figures, type, valuesOf(measures, state));
      }
    }
    return figures;
  };

  return {
    /** Figures as of an instant up to a second ago, of a span that may depend on it; by interval where one is given. */
    read: async (
      spanAt: (asOf: Date) => Span,
      intervalMs?: number,
    ): Promise<{ asOf: Date; figures: Figures; series: Series['byStart'] }> => {
      for (let round = 1; round <= maxRounds; round++) {
        const newest = replica.newest();
        const age = newest ? now().getTime() - newest.at.getTime() : Number.POSITIVE_INFINITY;
        if (!newest || age < 0 || age > maxLookAgeMs) await replica.look();
        const asOf = replica.exactAt();
        if (!asOf || now().getTime() - asOf.getTime() > maxLagMs) {
          await refresh();
          continue;
        }
        const view = await replica.current();
        const series: Series['byStart'] = new Map();
        const by = intervalMs === undefined ? undefined : { intervalMs, byStart: series };
        const figures = sum(view, spanAt(asOf), by);
        if (figures instanceof Map) return { asOf, figures, series };
        await figures();
      }
      throw unavailable('The figures');
    },

    /** Figures with all that was written before the call. */
    readNow: async (span: Span): Promise<Figures> => {
      for (let round = 1; round <= maxRounds; round++) {
        const look = await replica.look();
        const figures = sum(look.view, span);
        if (!(figures instanceof Map)) {
          await figures();
          continue;
        }
        for (const fact of notCounted(look)) {
          if (!isIn(span, fact.createdAtMs)) continue;
          const before = look.view.counted(fact);
          add(measures, figures, fact.type, valuesOf(measures, fact.state));
          if (before) subtract(measures, figures, fact.type, valuesOf(measures, before.state));
        }
        return figures;
      }
      throw unavailable('The figures');
    },
  };
}
