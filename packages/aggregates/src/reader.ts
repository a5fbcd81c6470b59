import { unavailable } from '@sigcast/contracts';
import { type Cell, type CellFacts, count, isIn, maxCellFacts } from './cells.ts';
import type { Span } from './change-log.ts';
import { addAmounts, type Distributions, sumsOf } from './distribution.ts';
import { add, type Figures, subtract, valuesOf } from './figures.ts';
import { notCounted, type Replica } from './replica.ts';
import type { AggregateSource, Source } from './source.ts';
import { figuresAt, type Series, type View } from './view.ts';

export type ReaderParts = {
  readonly source: Source;
  readonly spec: Pick<AggregateSource, 'measures' | 'distribution'>;
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
/** Cells whose distributions are not known are read instead, if they are at most so many; else it is better to wait. */
const maxUnknownCells = maxCellsRead / 2;
/** Likewise, if they have at most so many documents together. */
const maxUnknownFacts = (maxUnknownCells * maxCellFacts) / 2;
/** Rounds in which cells that a read needs were divided or forgotten, until something must be wrong. */
const maxRounds = 50;

/** What is wanted besides the figures of a whole span. */
type Wanted = { readonly intervalMs?: number; readonly withDistributions?: boolean };

const none: Distributions = new Map();
const untold = () => unavailable('The distribution');

/** Reads figures from the view. The documents of cells that a span cuts are read from the source, and kept. */
export function openReader({ source, spec, replica, now, refresh }: ReaderParts) {
  const { measures, distribution: amountsOf } = spec;
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
    const cut = view.cutBy(span);
    const missing = cut.filter(({ facts }) => !facts?.isComplete);
    if (missing.length > 0) return () => Promise.all(missing.map((cell) => readOnce(view, cell)));
    const figures = view.sum(span, series);
    for (const { facts } of cut) {
      for (const { type, createdAtMs, state } of facts?.byId.values() ?? []) {
        if (!isIn(span, createdAtMs)) continue;
        add(measures, series ? figuresAt(series, createdAtMs) : figures, type, valuesOf(measures, state));
      }
    }
    return figures;
  };

  /** Likewise the distributions of a span. A cell is read at most once again, which `readAgain` takes note of. */
  const distribute = (
    view: View,
    span: Span,
    readAgain: Set<Cell>,
  ): Distributions | (() => Promise<unknown>) => {
    if (!view.sums || !amountsOf) return new Map();
    const { distributions, unknown } = view.sums.sum(span);
    const unknownFacts = unknown.reduce((sum, { figures }) => sum + count(figures), 0);
    if (unknown.length > maxUnknownCells || unknownFacts > maxUnknownFacts) throw untold();
    const missing: Cell[] = [];
    for (const cell of [...view.cutBy(span), ...unknown]) {
      const facts = [...(cell.facts?.byId.values() ?? [])].filter(({ createdAtMs }) =>
        isIn(span, createdAtMs),
      );
      const amounts = facts.map((fact) => amountsOf(fact));
      if (amounts.includes(undefined)) {
        // A process of an earlier version has counted some. The documents say what it left out, unless they moved on.
        if (readAgain.has(cell)) throw untold();
        readAgain.add(cell);
        cell.facts = undefined;
      }
      if (!cell.facts?.isComplete) missing.push(cell);
      facts.forEach(({ type }, index) => {
        addAmounts(sumsOf(distributions, type), amounts[index] ?? []);
      });
    }
    if (missing.length > 0) return () => Promise.all(missing.map((cell) => readOnce(view, cell)));
    return distributions;
  };

  return {
    /** Figures as of an instant up to a second ago, of a span that may depend on it; by interval, or with distributions, where wanted. */
    read: async (
      spanAt: (asOf: Date) => Span,
      { intervalMs, withDistributions = false }: Wanted = {},
    ): Promise<{
      asOf: Date;
      figures: Figures;
      series: Series['byStart'];
      distributions: Distributions;
    }> => {
      const readAgain = new Set<Cell>();
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
        const span = spanAt(asOf);
        const figures = sum(view, span, by);
        const distributions = withDistributions ? distribute(view, span, readAgain) : none;
        if (!(figures instanceof Map)) await figures();
        else if (!(distributions instanceof Map)) await distributions();
        else return { asOf, figures, series, distributions };
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
