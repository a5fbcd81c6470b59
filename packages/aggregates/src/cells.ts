import type { Span, StoredCell } from './change-log.ts';
import type { PackedDistributions } from './distribution.ts';
import type { Counted, Figures } from './figures.ts';
import type { Fact } from './source.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** A cell of more documents than this is divided, so that a part of it is read quickly. */
export const maxCellFacts = 500;

/** All time there is: what a `Date` can say. */
export const allTime: Span = { fromMs: -8.64e15, toMs: 8.64e15 };

/** The figures of what was created within a part of an hour. */
export type Cell = Span & {
  readonly figures: Figures;
  /** Absent where they are not known until the cell is counted anew, and where the source has none. */
  distributions?: PackedDistributions | undefined;
  facts?: CellFacts | undefined;
};

/** What is counted of each document of a cell. Complete once all that the collection holds have been read. */
export type CellFacts = {
  isComplete: boolean;
  readonly byId: Map<string, CountedFact>;
};

/** What is counted of a document. */
export type CountedFact = Counted & Pick<Fact, 'id' | 'type' | 'createdAtMs'>;

/** A process of an earlier version stores none; then they are not known. */
export function fromStored({ fromMs, toMs, figures }: StoredCell, hasDistributions: boolean): Cell {
  const distributions: PackedDistributions = new Map();
  let isKnown = hasDistributions;
  for (const { type, distribution } of figures) {
    if (distribution === undefined) isKnown = false;
    else if (distribution !== '') distributions.set(type, distribution);
  }
  return {
    ...{ fromMs, toMs, figures: new Map(figures.map(({ type, values }) => [type, [...values]])) },
    distributions: isKnown ? distributions : undefined,
  };
}

export function toStored({ fromMs, toMs, figures, distributions }: Cell): StoredCell {
  const stored = [...figures].map(([type, values]): StoredCell['figures'][number] => ({
    ...{ type, values: [...values] },
    ...(distributions && { distribution: distributions.get(type) ?? '' }),
  }));
  return { fromMs, toMs, figures: stored };
}

/** An hour that takes more has some two million documents, and a stored document at most 16 MB. */
const maxHourBytes = 12_000_000;
/** What the figures of a type in a cell take besides their distribution, rounded up. */
const figuresBytes = 200;

/** The cells of an hour to be stored together; without their distributions where these would not fit. */
export function toStoredHour(cells: readonly Cell[]): StoredCell[] {
  let bytes = 0;
  for (const { figures, distributions } of cells) {
    bytes += figures.size * figuresBytes;
    for (const text of distributions?.values() ?? []) bytes += text.length;
  }
  const isLarge = bytes > maxHourBytes;
  return cells.map((cell) => toStored(isLarge ? { ...cell, distributions: undefined } : cell));
}

/** How many documents figures are of. */
export function count(figures: Figures): number {
  let facts = 0;
  for (const [own = 0] of figures.values()) facts += own;
  return facts;
}

export function isIn({ fromMs, toMs }: Span, ms: number): boolean {
  return ms >= fromMs && ms < toMs;
}

/** Whether all of a span is in another. */
export function isWithin(inner: Span, outer: Span): boolean {
  return inner.fromMs >= outer.fromMs && inner.toMs <= outer.toMs;
}

/** Whether two spans have an instant in common. */
export function overlap(one: Span, other: Span): boolean {
  return one.fromMs < other.toMs && one.toMs > other.fromMs;
}

export function floor(ms: number, width: number): number {
  return Math.floor(ms / width) * width;
}
