import { bucketStart, type SignalType } from '@sigcast/contracts';
import {
  type Cell,
  type CountedFact,
  count,
  dayMs,
  floor,
  hourMs,
  isIn,
  isWithin,
  maxCellFacts,
  overlap,
  toStoredHour,
} from './cells.ts';
import type { Batch, Change, LogPosition, Span, StoredHour } from './change-log.ts';
import type { DistributionSources } from './distribution.ts';
import {
  add,
  type Counted,
  type Figures,
  losesMax,
  type Measure,
  merge,
  subtract,
  valuesOf,
} from './figures.ts';
import { createRecentStates } from './recent-states.ts';
import type { Source } from './source.ts';
import { createViewDistributions } from './view-distributions.ts';

/** Figures by the start of their interval, an hour or a day (UTC). Intervals without documents are absent. */
export type Series = { readonly intervalMs: number; readonly byStart: Map<number, Figures> };

type Day = { cells: Cell[]; total?: Figures | undefined };

export type View = ReturnType<typeof createView>;

/**
 * The aggregates in memory: the batches of the log up to a position, applied in order. Cells never overlap. An instant
 * without a cell has no documents.
 */
export function createView(
  {
    measures,
    distributions: sources = {},
  }: { readonly measures: readonly Measure[]; readonly distributions?: DistributionSources | undefined },
  start: LogPosition,
) {
  const days = new Map<number, Day>();
  const recent = createRecentStates();
  const stored = new Map<number, number>();
  const unsaved = new Set<number>();
  let { number, token } = start;
  let readers = 0;

  function* cellsIn(span: Span): Generator<Cell> {
    for (const [start, { cells }] of days) {
      if (!overlap({ fromMs: start, toMs: start + dayMs }, span)) continue;
      for (const cell of cells) if (overlap(cell, span)) yield cell;
    }
  }
  const distributions = createViewDistributions(sources, cellsIn);

  const dayAt = (ms: number): Day => {
    const key = floor(ms, dayMs);
    const day = days.get(key) ?? { cells: [] };
    days.set(key, day);
    return day;
  };

  /** The cell that an instant is in. */
  const find = (ms: number): Cell | undefined =>
    days.get(floor(ms, dayMs))?.cells.find((cell) => isIn(cell, ms));

  /** A new cell for an instant that is in none: the part of its hour between the neighbouring cells. */
  const newCell = (ms: number): Cell => {
    const fromHour = floor(ms, hourMs);
    let [fromMs, toMs] = [fromHour, fromHour + hourMs];
    for (const cell of days.get(floor(ms, dayMs))?.cells ?? []) {
      if (cell.toMs <= ms) fromMs = Math.max(fromMs, cell.toMs);
      else toMs = Math.min(toMs, cell.fromMs);
    }
    return { fromMs, toMs, figures: new Map(), distributions: distributions.ofNone() };
  };

  const insert = (cell: Cell): Cell => {
    const day = dayAt(cell.fromMs);
    day.cells.push(cell);
    day.cells.sort((a, b) => a.fromMs - b.fromMs);
    day.total = undefined;
    distributions.add(cell);
    return cell;
  };

  /** Whether the stored cells of an instant's hour include a batch already. */
  const isStored = (ms: number, batch: Batch) =>
    batch.number <= (stored.get(floor(ms, hourMs)) ?? Number.NEGATIVE_INFINITY);

  const replace = (range: Batch['replaced'][number], batch: Batch) => {
    const isKept = (cell: Span) => !overlap(cell, range) || isStored(cell.fromMs, batch);
    for (const [start, day] of days) {
      if (!overlap({ fromMs: start, toMs: start + dayMs }, range)) continue;
      for (const cell of day.cells) {
        if (isKept(cell)) continue;
        unsaved.add(floor(cell.fromMs, hourMs));
        distributions.remove(cell);
      }
      day.cells = day.cells.filter(isKept);
      day.total = undefined;
      if (day.cells.length === 0) days.delete(start);
    }
    for (const cell of range.cells) {
      unsaved.add(floor(cell.fromMs, hourMs));
      if (!isStored(cell.fromMs, batch)) insert(distributions.toCell(cell));
    }
  };

  const change = (made: Change) => {
    const { type, createdAtMs, before, after, id } = made;
    const cell = find(createdAtMs) ?? insert(newCell(createdAtMs));
    dayAt(createdAtMs).total = undefined;
    unsaved.add(floor(createdAtMs, hourMs));
    add(measures, cell.figures, type, valuesOf(measures, after.state));
    if (before) subtract(measures, cell.figures, type, valuesOf(measures, before.state));
    distributions.change(cell, made);
    const known = cell.facts?.byId.get(id);
    if (after.rev > (known?.rev ?? 0)) cell.facts?.byId.set(id, { ...after, id, type, createdAtMs });
  };

  const totalOf = (day: Day): Figures => {
    if (!day.total) {
      day.total = new Map();
      for (const { figures } of day.cells) merge(measures, day.total, figures);
    }
    return day.total;
  };

  return {
    /** The position of the batch that was applied last. */
    position: (): LogPosition => ({ number, token }),

    /** @returns false when the batch does not follow the one before. */
    apply(batch: Batch, seenAtMs: number): boolean {
      if (batch.after !== token) return false;
      for (const range of batch.replaced) replace(range, batch);
      recent.add(batch, seenAtMs);
      for (const each of batch.changes) {
        const { createdAtMs: ms } = each;
        if (!batch.replaced.some((range) => isIn(range, ms)) && !isStored(ms, batch)) change(each);
      }
      ({ number, token } = batch);
      return true;
    },

    /** Caches the states of a batch without counting them. */
    cacheStates: recent.add,
    counted: recent.counted,
    isBehind: recent.isBehind,

    /** The documents of a span in their counted states, or with `changes` that are about to be counted. */
    async countedIn(
      source: Pick<Source, 'createdIn'>,
      { fromMs, toMs }: Span,
      changes: ReadonlyMap<string, Counted> = new Map(),
    ): Promise<CountedFact[]> {
      readers++;
      try {
        return (await source.createdIn(fromMs, toMs)).flatMap((fact): CountedFact[] => {
          const counted = changes.get(fact.id) ?? recent.counted(fact);
          const { id, type, createdAtMs } = fact;
          return counted ? [{ id, type, createdAtMs, rev: counted.rev, state: counted.state }] : [];
        });
      } finally {
        readers--;
      }
    },

    /** Evicts old states from the cache, unless documents are being read. */
    evictStates(beforeMs: number, except: ReadonlySet<string>): void {
      if (readers === 0) recent.evict(beforeMs, except);
    },

    /** The cells that these changes make too large, or whose maximum the changes remove. */
    cellsToRecount(changes: readonly Change[]): Span[] {
      const cellAt = (ms: number) => find(ms) ?? newCell(ms);
      const touched = Map.groupBy(changes, ({ createdAtMs }) => cellAt(createdAtMs).fromMs);
      return [...touched].flatMap(([startMs, some]) => {
        const { fromMs, toMs, figures } = cellAt(startMs);
        const added = some.filter(({ before }) => !before).length;
        const isLarge = count(figures) + added > maxCellFacts && added > 0 && toMs - fromMs > 1;
        const mustRecount = isLarge || some.some((each) => losesMaxOf(figures, each));
        return mustRecount ? [{ fromMs, toMs }] : [];
      });
    },

    /** The bounds of the cell that holds an instant; that instant alone where there is no cell. */
    cellBounds(ms: number): Span {
      return find(ms) ?? { fromMs: ms, toMs: ms + 1 };
    },
    cellsIn,
    distributions,

    /** The figures of the cells that are entirely in a span; added to `series` by interval where it is given. */
    sum(span: Span, series?: Series): Figures {
      const figures: Figures = new Map();
      const at = (ms: number) => (series ? figuresAt(series, ms) : figures);
      const areDaysWhole = !series || series.intervalMs >= dayMs;
      for (const [start, day] of days) {
        const wholeDay = { fromMs: start, toMs: start + dayMs };
        if (areDaysWhole && isWithin(wholeDay, span)) merge(measures, at(start), totalOf(day));
        else if (overlap(wholeDay, span)) {
          for (const cell of day.cells) {
            if (isWithin(cell, span)) merge(measures, at(cell.fromMs), cell.figures);
          }
        }
      }
      return figures;
    },

    /** The cells that are partly in a span: at most two. */
    partialCells(span: Span): Cell[] {
      const atBounds = new Set([find(span.fromMs), find(span.toMs)]);
      return [...atBounds]
        .filter((cell) => cell !== undefined)
        .filter((cell) => overlap(cell, span) && !isWithin(cell, span));
    },

    /** The hours that changed since the last checkpoint, with their cells, which count as saved from now on. */
    takeUnsaved(): Pick<StoredHour, 'hourMs' | 'cells'>[] {
      const changed = [...unsaved].map((ms) => {
        const cells = days.get(floor(ms, dayMs))?.cells ?? [];
        return {
          hourMs: ms,
          cells: toStoredHour(cells.filter(({ fromMs }) => floor(fromMs, hourMs) === ms)),
        };
      });
      unsaved.clear();
      return changed;
    },
    /** Says that these hours are not saved. */
    markUnsaved(hours: readonly Pick<StoredHour, 'hourMs'>[]): void {
      for (const hour of hours) unsaved.add(hour.hourMs);
    },
    /** Adds the stored hours. Called before any batch is applied. */
    restore(hours: readonly StoredHour[]): void {
      for (const hour of hours) {
        stored.set(hour.hourMs, hour.number);
        for (const cell of hour.cells ?? []) insert(distributions.toCell(cell));
      }
    },
  };

  function losesMaxOf(figures: Figures, { type, before, after }: Change): boolean {
    if (!before) return false;
    return losesMax(
      measures,
      figures.get(type),
      valuesOf(measures, before.state),
      valuesOf(measures, after.state),
    );
  }
}

/** The figures of the interval that an instant is in. */
export function figuresAt({ intervalMs, byStart }: Series, ms: number): Figures {
  const start = bucketStart(ms, intervalMs);
  const figures = byStart.get(start) ?? new Map<SignalType, number[]>();
  byStart.set(start, figures);
  return figures;
}
