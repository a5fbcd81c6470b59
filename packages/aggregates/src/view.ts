import type { SignalType } from '@sigcast/contracts';
import type { Batch, Change, Place, Span, StoredCell, StoredHour } from './change-log.ts';
import { add, type Figures, losesMax, type Measure, merge, subtract, valuesOf } from './figures.ts';
import type { Counted, Fact, Source } from './source.ts';

export const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A cell of more documents than this is divided, so that a part of it is read quickly. */
export const maxCellFacts = 500;

/** All time there is: what a `Date` can say. */
export const allTime: Span = { fromMs: -8.64e15, toMs: 8.64e15 };

/** The figures of what was created within a part of an hour. */
export type Cell = Span & { readonly figures: Figures; facts?: CellFacts | undefined };

/** What is counted of each document of a cell. Complete once all that the collection holds have been read. */
export type CellFacts = {
  isComplete: boolean;
  readonly byId: Map<string, CountedFact>;
};

/** What is counted of a document. */
export type CountedFact = Counted & Pick<Fact, 'id' | 'type' | 'createdAtMs'>;

/** Figures by the start of the interval that they are of: an hour or a day (UTC). Without documents one is absent. */
export type Series = { readonly intervalMs: number; readonly byStart: Map<number, Figures> };

type Day = { cells: Cell[]; total?: Figures | undefined };

export type View = ReturnType<typeof createView>;

/**
 * The aggregates as this process has them in memory: the log's batches up to one of them, applied in order. Cells of one
 * hour never overlap; where there is none, nothing is counted.
 */
export function createView(measures: readonly Measure[], start: Place) {
  const days = new Map<number, Day>();
  const recent = new Map<string, Counted & Pick<Change, 'dirtyAt'> & { readonly seenAtMs: number }>();
  const stored = new Map<number, number>();
  const unsaved = new Set<number>();
  let { number, token } = start;
  let readers = 0;

  const dayAt = (ms: number): Day => {
    const key = floor(ms, dayMs);
    const day = days.get(key) ?? { cells: [] };
    days.set(key, day);
    return day;
  };

  /** The cell that an instant is in, or the one that would have to be made for it. */
  const cellAt = (ms: number): Cell => {
    const { cells } = days.get(floor(ms, dayMs)) ?? { cells: [] };
    const fromHour = floor(ms, hourMs);
    let [fromMs, toMs] = [fromHour, fromHour + hourMs];
    for (const cell of cells) {
      if (isIn(cell, ms)) return cell;
      if (cell.toMs <= ms) fromMs = Math.max(fromMs, cell.toMs);
      else toMs = Math.min(toMs, cell.fromMs);
    }
    return { fromMs, toMs, figures: new Map() };
  };

  const insert = (cell: Cell) => {
    const day = dayAt(cell.fromMs);
    day.cells.push(cell);
    day.cells.sort((a, b) => a.fromMs - b.fromMs);
    day.total = undefined;
  };

  /** Whether the hour that an instant is in was stored with a batch included. */
  const isStored = (ms: number, batch: Batch) =>
    batch.number <= (stored.get(floor(ms, hourMs)) ?? Number.NEGATIVE_INFINITY);

  const replace = ({ fromMs, toMs, cells }: Batch['replaced'][number], batch: Batch) => {
    const isKept = (cell: Span) => cell.toMs <= fromMs || cell.fromMs >= toMs || isStored(cell.fromMs, batch);
    for (const [start, day] of days) {
      if (start + dayMs <= fromMs || start >= toMs) continue;
      for (const cell of day.cells) if (!isKept(cell)) unsaved.add(floor(cell.fromMs, hourMs));
      day.cells = day.cells.filter(isKept);
      day.total = undefined;
      if (day.cells.length === 0) days.delete(start);
    }
    for (const cell of cells) {
      unsaved.add(floor(cell.fromMs, hourMs));
      if (!isStored(cell.fromMs, batch)) insert(fromStored(cell));
    }
  };

  const change = ({ type, createdAtMs, before, after, id }: Change) => {
    const cell = cellAt(createdAtMs);
    const day = dayAt(createdAtMs);
    if (!day.cells.includes(cell)) insert(cell);
    day.total = undefined;
    unsaved.add(floor(createdAtMs, hourMs));
    if (after) add(measures, cell.figures, type, valuesOf(measures, after.state));
    if (before) subtract(measures, cell.figures, type, valuesOf(measures, before.state));
    const known = cell.facts?.byId.get(id);
    if (after.rev > (known?.rev ?? 0)) cell.facts?.byId.set(id, { ...after, id, type, createdAtMs });
  };

  const remember = ({ changes }: Batch, seenAtMs: number) => {
    for (const { id, after, dirtyAt } of changes) recent.set(id, { ...after, dirtyAt, seenAtMs });
  };

  const totalOf = (day: Day): Figures => {
    if (!day.total) {
      day.total = new Map();
      for (const { figures } of day.cells) merge(measures, day.total, figures);
    }
    return day.total;
  };

  return {
    /** The number and the token of the batch that was applied last. */
    at: (): Place => ({ number, token }),

    /** @returns false when the batch does not follow the one before. */
    apply(batch: Batch, seenAtMs: number): boolean {
      if (batch.after !== token) return false;
      for (const range of batch.replaced) replace(range, batch);
      remember(batch, seenAtMs);
      for (const each of batch.changes) {
        const { createdAtMs: ms } = each;
        if (!batch.replaced.some((range) => isIn(range, ms)) && !isStored(ms, batch)) change(each);
      }
      ({ number, token } = batch);
      return true;
    },

    /** Takes note of what a batch says of documents, without counting it. */
    remember,

    /** What is counted of a document: the document says it, unless it was counted a moment ago. */
    counted: ({ id, counted, dirtyAt }: Fact): Counted | undefined => {
      const newer = recent.get(id);
      const isOfIt = newer?.dirtyAt.getTime() === dirtyAt?.getTime();
      return newer && isOfIt && newer.rev > (counted?.rev ?? 0) ? newer : counted;
    },

    /**
     * Whether the view has had a state of a document, since an instant, that the document took on after it was read: it was
     * clean in between.
     */
    isBehind: ({ id, dirtyAt }: Fact, sinceMs: number): boolean => {
      const newer = recent.get(id);
      return (
        newer !== undefined && newer.seenAtMs >= sinceMs && newer.dirtyAt.getTime() !== dirtyAt?.getTime()
      );
    },

    /** Documents of a span, as they are counted, or are about to be. */
    async countedIn(
      source: Pick<Source, 'createdIn'>,
      { fromMs, toMs }: Span,
      changes: ReadonlyMap<string, Counted> = new Map(),
    ): Promise<CountedFact[]> {
      readers++;
      try {
        return (await source.createdIn(fromMs, toMs)).flatMap((fact): CountedFact[] => {
          const counted = changes.get(fact.id) ?? this.counted(fact);
          return counted ? [{ ...counted, type: fact.type, createdAtMs: fact.createdAtMs, id: fact.id }] : [];
        });
      } finally {
        readers--;
      }
    },

    /** Forgets states of a while ago that the documents themselves say by now, unless some are being read. */
    forget(beforeMs: number, except: ReadonlySet<string>): void {
      if (readers > 0) return;
      for (const [id, { seenAtMs }] of recent) {
        if (seenAtMs < beforeMs && !except.has(id)) recent.delete(id);
      }
    },

    /** Cells that these changes make too large, or whose maximum they take away: to be counted anew. */
    outgrown(changes: readonly Change[]): Span[] {
      const touched = Map.groupBy(changes, ({ createdAtMs }) => cellAt(createdAtMs).fromMs);
      return [...touched.values()].flatMap((some) => {
        const { fromMs, toMs, figures } = cellAt(some[0]?.createdAtMs ?? 0);
        const added = some.filter(({ before }) => !before).length;
        const isLarge = count(figures) + added > maxCellFacts && added > 0 && toMs - fromMs > 1;
        const isOutgrown = isLarge || some.some((each) => losesMaxOf(figures, each));
        return isOutgrown ? [{ fromMs, toMs }] : [];
      });
    },

    /** The bounds of the cell that an instant is in; of that instant alone where there is none. */
    cellBounds(ms: number): Span {
      const { cells = [] } = days.get(floor(ms, dayMs)) ?? {};
      return cells.find((cell) => isIn(cell, ms)) ?? { fromMs: ms, toMs: ms + 1 };
    },
    /** The figures of some cells together. */
    figuresOf(cells: readonly StoredCell[]): Figures {
      const figures: Figures = new Map();
      for (const cell of cells) merge(measures, figures, fromStored(cell).figures);
      return figures;
    },

    /** The figures of the whole cells of a span, in `series` where there is one, and the cells that it cuts. */
    sum({ fromMs, toMs }: Span, series?: Series): { figures: Figures; cut: Cell[] } {
      const figures: Figures = new Map();
      const at = (ms: number) => (series ? figuresAt(series, ms) : figures);
      const areDaysWhole = !series || series.intervalMs >= dayMs;
      const cut: Cell[] = [];
      for (const [start, day] of days) {
        if (areDaysWhole && start >= fromMs && start + dayMs <= toMs) {
          merge(measures, at(start), totalOf(day));
          continue;
        }
        if (start + dayMs <= fromMs || start >= toMs) continue;
        for (const cell of day.cells) {
          if (cell.fromMs >= fromMs && cell.toMs <= toMs) merge(measures, at(cell.fromMs), cell.figures);
          else if (cell.toMs > fromMs && cell.fromMs < toMs) cut.push(cell);
        }
      }
      return { figures, cut };
    },

    /** The hours that changed since the last call, with their cells. */
    takeUnsaved(): Pick<StoredHour, 'hourMs' | 'cells'>[] {
      const changed = [...unsaved].map((ms) => {
        const cells = days.get(floor(ms, dayMs))?.cells ?? [];
        return {
          hourMs: ms,
          cells: cells.filter(({ fromMs }) => floor(fromMs, hourMs) === ms).map(toStored),
        };
      });
      unsaved.clear();
      return changed;
    },
    /** Takes back that hours were taken, as they could not be stored. */
    giveBackUnsaved(hours: readonly Pick<StoredHour, 'hourMs'>[]): void {
      for (const hour of hours) unsaved.add(hour.hourMs);
    },
    cellAt,
    /** Begins with hours that were stored, before anything is applied. */
    restore(hours: readonly StoredHour[]): void {
      for (const hour of hours) {
        stored.set(hour.hourMs, hour.number);
        for (const cell of hour.cells) insert(fromStored(cell));
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

function fromStored({ fromMs, toMs, figures }: StoredCell): Cell {
  return { fromMs, toMs, figures: new Map(figures.map(({ type, values }) => [type, [...values]])) };
}

export function toStored({ fromMs, toMs, figures }: Cell): StoredCell {
  const stored = [...figures].map(([type, values]): { type: SignalType; values: number[] } => ({
    type,
    values: [...values],
  }));
  return { fromMs, toMs, figures: stored };
}

function count(figures: Figures): number {
  let facts = 0;
  for (const [own = 0] of figures.values()) facts += own;
  return facts;
}

export function isIn({ fromMs, toMs }: Span, ms: number): boolean {
  return ms >= fromMs && ms < toMs;
}

/** The figures of the interval that an instant is in. */
export function figuresAt({ intervalMs, byStart }: Series, ms: number): Figures {
  const start = floor(ms, intervalMs);
  const figures = byStart.get(start) ?? new Map<SignalType, number[]>();
  byStart.set(start, figures);
  return figures;
}

export function floor(ms: number, width: number): number {
  return Math.floor(ms / width) * width;
}
