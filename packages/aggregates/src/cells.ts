import type { Span, StoredCell } from './change-log.ts';
import type { PackedDistributions } from './distribution.ts';
import type { Counted, Figures } from './figures.ts';
import type { Fact } from './source.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** A cell with more documents is divided, so that a part of a cell is read quickly. */
export const maxCellFacts = 500;

/** The range of a `Date`. */
export const allTime: Span = { fromMs: -8.64e15, toMs: 8.64e15 };

/** The figures of the documents created within an hour or a part of one. */
export type Cell = Span & {
  readonly figures: Figures;
  /** Absent while unknown, until the cell is counted again, and where the source has no distribution. */
  distributions?: PackedDistributions | undefined;
  facts?: CellFacts | undefined;
};

/** The counted state of a cell's documents. `isComplete`: all documents of the cell have been read. */
export type CellFacts = {
  isComplete: boolean;
  readonly byId: Map<string, CountedFact>;
};

/** The counted state of a document. */
export type CountedFact = Counted & Pick<Fact, 'id' | 'type' | 'createdAtMs'>;

/** Distributions are unknown where a process of an earlier version stored the cell. */
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

/** A stored document has at most 16 MB. An hour of so many bytes has some two million documents. */
const maxHourBytes = 12_000_000;
/** The size of a type's figures in a cell without the distribution, rounded up. */
const figuresBytes = 200;

/** The cells of an hour, which are stored in one document; without distributions where these would not fit. */
export function toStoredHour(cells: readonly Cell[]): StoredCell[] {
  let bytes = 0;
  for (const { figures, distributions } of cells) {
    bytes += figures.size * figuresBytes;
    for (const text of distributions?.values() ?? []) bytes += text.length;
  }
  const isLarge = bytes > maxHourBytes;
  return cells.map((cell) => toStored(isLarge ? { ...cell, distributions: undefined } : cell));
}

/** The number of documents in figures. */
export function count(figures: Figures): number {
  let facts = 0;
  for (const [own = 0] of figures.values()) facts += own;
  return facts;
}

export function isIn({ fromMs, toMs }: Span, ms: number): boolean {
  return ms >= fromMs && ms < toMs;
}

/** Whether a span is entirely in another. */
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
