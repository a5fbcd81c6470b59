import { bucketStart, type SignalType, unavailable } from '@sigcast/contracts';
import { type Cell, type CountedFact, count, isIn, maxCellFacts } from './cells.ts';
import type { Span } from './change-log.ts';
import { type Amounts, addAmounts, type Distributions, type Sums, sumsOf } from './distribution.ts';
import type { RunningSums } from './running-sums.ts';
import type { View } from './view.ts';

/** The documents of so many cells are cached. */
export const maxCellsRead = 100;
/** The documents of at most so many cells with unknown distributions are read. With more, the distribution is unavailable. */
const maxUnknownCells = maxCellsRead / 2;
/** And at most so many documents of these cells together. */
const maxUnknownFacts = (maxUnknownCells * maxCellFacts) / 2;

/** Which sums a series has: those of a distribution whose keys are below `belowKey`. */
export type SeriesSums = { readonly name: string; readonly belowKey: number };

/** Sums by the start of their interval. */
export type SumsByStart = Map<number, Distributions>;

/** Where distributions are read. `readAgain` holds cells whose documents were read again because some lacked fields. */
type Place = { readonly view: View; readonly span: Span; readonly readAgain: Set<Cell> };

/**
 * The distributions of a span by name. They are incomplete until the documents of the `missing` cells have been read.
 * @throws {SigcastError} SERVICE_UNAVAILABLE while one of them is unknown of many cells.
 */
export function distribute(place: Place, names: readonly string[]) {
  const missing: Cell[] = [];
  const distributions = new Map<string, Distributions>();
  for (const name of names) {
    const cells = place.view.distributions.get(name);
    const sum = cells.sum(place.span);
    distributions.set(name, sum);
    missing.push(...addFacts(place, cells, ({ type }, amounts) => addAmounts(sumsOf(sum, type), amounts)));
  }
  return { distributions, missing };
}

/** The sums of a series, where it is asked for some; otherwise like {@link distribute}. */
export function distributeSeries(
  place: Place,
  series?: { readonly intervalMs: number; readonly sums?: SeriesSums | undefined },
) {
  const sums: SumsByStart = new Map();
  if (!series?.sums) return { sums, missing: [] };
  const { name, belowKey } = series.sums;
  const sumsAt = (ms: number): Distributions => {
    const start = bucketStart(ms, series.intervalMs);
    const found = sums.get(start) ?? new Map<SignalType, Sums>();
    sums.set(start, found);
    return found;
  };
  const cells = place.view.distributions.get(name);
  cells.addEach(place.span, sumsAt, belowKey);
  const missing = addFacts(place, cells, ({ type, createdAtMs }, amounts) => {
    const chosen = amounts.filter(([key]) => key < belowKey);
    addAmounts(sumsOf(sumsAt(createdAtMs), type), chosen);
  });
  return { sums, missing };
}

/**
 * Calls `add` for the documents of a span whose amounts are in no sums of cells: those in cells that are partly in the span,
 * and in cells whose sums are unknown.
 * @returns the cells whose documents have to be read first
 */
function addFacts(
  { view, span, readAgain }: Place,
  { title, amountsOf, unknownIn }: RunningSums,
  add: (fact: CountedFact, amounts: Amounts) => void,
): readonly Cell[] {
  const unknown = unknownIn(span);
  const unknownFacts = unknown.reduce((sum, { figures }) => sum + count(figures), 0);
  if (unknown.length > maxUnknownCells || unknownFacts > maxUnknownFacts) throw unavailable(title);
  const missing: Cell[] = [];
  for (const cell of [...view.partialCells(span), ...unknown]) {
    const facts = [...(cell.facts?.byId.values() ?? [])].filter(({ createdAtMs }) => isIn(span, createdAtMs));
    const amounts = facts.map((fact) => amountsOf(fact));
    if (amounts.includes(undefined)) {
      // A process of an earlier version counted some documents. Their missing fields are read once from the documents.
      if (readAgain.has(cell)) throw unavailable(title);
      readAgain.add(cell);
      cell.facts = undefined;
    }
    if (!cell.facts?.isComplete) missing.push(cell);
    facts.forEach((fact, index) => {
      add(fact, amounts[index] ?? []);
    });
  }
  return missing;
}
