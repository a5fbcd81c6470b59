import type { SignalType } from '@sigcast/contracts';
import type { Span, StoredCell } from './change-log.ts';
import type { CellDistributions } from './distribution.ts';
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
  readonly distributions: CellDistributions;
  facts?: CellFacts | undefined;
};

/** The counted state of a cell's documents. `isComplete`: all documents of the cell have been read. */
export type CellFacts = {
  isComplete: boolean;
  readonly byId: Map<string, CountedFact>;
};

/** The counted state of a document. */
export type CountedFact = Counted & Pick<Fact, 'id' | 'type' | 'createdAtMs'>;

/** The cell with its distributions of these names. */
export function fromStored({ fromMs, toMs, figures }: StoredCell, names: readonly string[]): Cell {
  const packed = (name: string) =>
    new Map(figures.flatMap(({ type, [name]: text }) => (text ? [[type, text as string] as const] : [])));
  return {
    fromMs,
    toMs,
    figures: new Map(figures.map(({ type, values }) => [type, [...values]])),
    distributions: new Map(names.map((name) => [name, packed(name)])),
  };
}

export function toStored({ fromMs, toMs, figures, distributions }: Cell): StoredCell {
  const textsOf = (type: SignalType) =>
    Object.fromEntries([...distributions].map(([name, packed]) => [name, packed.get(type) ?? '']));
  const stored = [...figures].map(([type, values]) => ({ ...textsOf(type), type, values: [...values] }));
  return { fromMs, toMs, figures: stored };
}

/** A stored document has at most 16 MB. An hour of so many bytes has some two million documents. */
const maxHourBytes = 12_000_000;
/** The size of a type's figures in a cell without distributions, rounded up. */
const figuresBytes = 200;

/** The cells of an hour, which are stored in one document; null where they would not fit. */
export function toStoredHour(cells: readonly Cell[]): StoredCell[] | null {
  let bytes = 0;
  for (const { figures, distributions } of cells) {
    bytes += figures.size * figuresBytes;
    for (const packed of distributions.values()) for (const text of packed.values()) bytes += text.length;
  }
  return bytes > maxHourBytes ? null : cells.map(toStored);
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
