import { unavailable } from '@sigcast/contracts';
import { waitAtMost } from '@sigcast/runtime';
import { type Cell, type CellFacts, isIn } from './cells.ts';
import type { Span } from './change-log.ts';
import type { Distributions } from './distribution.ts';
import { distribute, distributeSeries, type SeriesSums } from './distribution-reader.ts';
import { add, type Figures, subtract, valuesOf } from './figures.ts';
import { notCounted, type Replica } from './replica.ts';
import type { AggregateSource, Source } from './source.ts';
import { figuresAt, type Series, type View } from './view.ts';

type ReaderParts = {
  readonly source: Source;
  readonly spec: Pick<AggregateSource, 'measures'>;
  readonly replica: Replica;
  readonly now: () => Date;
  /** Takes in what is dirty. */
  readonly refresh: () => Promise<boolean>;
};

/** A snapshot may be so old, as figures may be a second old. */
const maxSnapshotAgeMs = 800;
/** A process that finds figures older than this refreshes them itself, even if another process leads. */
export const maxLagMs = 900;
/** A read waits so long for newer figures. Then it answers with those there are: a store that can't keep up stops no read. */
const maxWaitMs = 1_000;
/** Unless they are older than this. */
const maxAgeMs = 60_000;
/** The documents of so many cells are cached. */
const maxCellsRead = 100;
/** A read is tried again when cells change meanwhile. So many tries mean that something is wrong. */
const maxAttempts = 50;

/** What a read returns besides the figures of the whole period. */
export type ReadOptions = {
  /** Names of distributions. */
  readonly distributions?: readonly string[];
  /** Figures of each interval, an hour or a day (UTC); and some sums of a distribution likewise. */
  readonly series?: { readonly intervalMs: number; readonly sums?: SeriesSums | undefined };
};

/** Figures, and what {@link ReadOptions} asked for. */
export type Reading = {
  /** The figures count every write before this instant. */
  readonly asOf: Date;
  readonly figures: Figures;
  /** By name. */
  readonly distributions: ReadonlyMap<string, Distributions>;
  /** By the interval's start in milliseconds. Intervals without documents may be absent. */
  readonly series: ReadonlyMap<number, Figures>;
  readonly sums: ReadonlyMap<number, Distributions>;
};

/** Reads figures from the view. Documents of cells that are partly in a span are read from the source and cached. */
export function openReader({ source, spec, replica, now, refresh }: ReaderParts) {
  const { measures } = spec;
  const cached = new Set<Cell>();
  const reading = new Map<Cell, Promise<void>>();

  const readFacts = async (view: View, cell: Cell) => {
    if (cached.size >= maxCellsRead) {
      for (const each of cached) each.facts = undefined;
      cached.clear();
    }
    cached.add(cell);
    // Batches that are applied meanwhile change this map, too.
    const facts: CellFacts = cell.facts ?? { isComplete: false, byId: new Map() };
    cell.facts = facts;
    for (const fact of await view.countedIn(source, cell)) {
      if (fact.rev > (facts.byId.get(fact.id)?.rev ?? 0)) facts.byId.set(fact.id, fact);
    }
    // The documents may be counted by batches that the view does not have yet.
    await replica.catchUp();
    facts.isComplete = true;
  };
  const readOnce = (view: View, cell: Cell): Promise<void> => {
    const begun = reading.get(cell) ?? readFacts(view, cell).finally(() => reading.delete(cell));
    reading.set(cell, begun);
    return begun;
  };

  /** The figures of a span by the view; or, where documents have to be read first, a function that reads them. */
  const sum = (view: View, span: Span, series?: Series): Figures | (() => Promise<unknown>) => {
    const partial = view.partialCells(span);
    const missing = partial.filter(({ facts }) => !facts?.isComplete);
    if (missing.length > 0) return () => Promise.all(missing.map((cell) => readOnce(view, cell)));
    const figures = view.sum(span, series);
    for (const { facts } of partial) {
      for (const { type, createdAtMs, state } of facts?.byId.values() ?? []) {
        if (!isIn(span, createdAtMs)) continue;
        add(measures, series ? figuresAt(series, createdAtMs) : figures, type, valuesOf(measures, state));
      }
    }
    return figures;
  };

  return {
    /**
     * Figures as of an instant up to a second ago, or a minute where they can't be refreshed in time. The span may depend
     * on that instant.
     */
    read: async (
      spanAt: (asOf: Date) => Span,
      { distributions: names = [], series: by }: ReadOptions = {},
    ): Promise<Reading> => {
      const begunAt = performance.now();
      const leftMs = () => Math.max(0, begunAt + maxWaitMs - performance.now());
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        const newest = replica.newestSnapshot();
        const age = newest ? now().getTime() - newest.at.getTime() : Number.POSITIVE_INFINITY;
        if (!newest || age < 0) await replica.takeSnapshot();
        else if (age > maxSnapshotAgeMs) await waitAtMost(leftMs(), replica.takeSnapshot());
        const asOf = replica.exactAt();
        const lagMs = asOf ? now().getTime() - asOf.getTime() : Number.POSITIVE_INFINITY;
        if (!asOf) {
          await refresh();
          continue;
        }
        if (lagMs > maxLagMs && leftMs() > 0) {
          await waitAtMost(leftMs(), refresh());
          continue;
        }
        if (lagMs > maxAgeMs) throw unavailable('The figures');
        const view = await replica.current();
        const series: Series['byStart'] = new Map();
        const span = spanAt(asOf);
        const figures = sum(view, span, by && { intervalMs: by.intervalMs, byStart: series });
        if (!(figures instanceof Map)) {
          await figures();
          continue;
        }
        const place = { view, span };
        const distributions = distribute(place, names);
        return { asOf, figures, series, distributions, sums: distributeSeries(place, by) };
      }
      throw unavailable('The figures');
    },

    /** Figures that count every write before the call. */
    readNow: async (span: Span): Promise<Figures> => {
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        const snapshot = await replica.takeSnapshot();
        const figures = sum(snapshot.view, span);
        if (!(figures instanceof Map)) {
          await figures();
          continue;
        }
        for (const fact of notCounted(snapshot)) {
          if (!isIn(span, fact.createdAtMs)) continue;
          const before = snapshot.view.counted(fact);
          add(measures, figures, fact.type, valuesOf(measures, fact.state));
          if (before) subtract(measures, figures, fact.type, valuesOf(measures, before.state));
        }
        return figures;
      }
      throw unavailable('The figures');
    },
  };
}
