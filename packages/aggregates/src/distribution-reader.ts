import { bucketStart, type SignalType } from '@sigcast/contracts';
import { type CountedFact, isIn } from './cells.ts';
import type { Span } from './change-log.ts';
import { type Amounts, addAmounts, type Distributions, type Sums, sumsOf } from './distribution.ts';
import type { RunningSums } from './running-sums.ts';
import type { View } from './view.ts';

/** Which sums a series has: those of a distribution whose keys are below `belowKey`. */
export type SeriesSums = { readonly name: string; readonly belowKey: number };

/** Sums by the start of their interval. */
export type SumsByStart = Map<number, Distributions>;

/** Where distributions are read. The documents of the cells that are partly in the span have been read. */
type Place = { readonly view: View; readonly span: Span };

/** The distributions of a span by name. */
export function distribute(place: Place, names: readonly string[]): ReadonlyMap<string, Distributions> {
  return new Map(
    names.map((name) => {
      const cells = place.view.distributions.get(name);
      const sum = cells.sum(place.span);
      addFacts(place, cells, ({ type }, amounts) => addAmounts(sumsOf(sum, type), amounts));
      return [name, sum];
    }),
  );
}

/** The sums of a series, where it is asked for some. */
export function distributeSeries(
  place: Place,
  series?: { readonly intervalMs: number; readonly sums?: SeriesSums | undefined },
): SumsByStart {
  const sums: SumsByStart = new Map();
  if (!series?.sums) return sums;
  const { name, belowKey } = series.sums;
  const sumsAt = (ms: number): Distributions => {
    const start = bucketStart(ms, series.intervalMs);
    const found = sums.get(start) ?? new Map<SignalType, Sums>();
    sums.set(start, found);
    return found;
  };
  const cells = place.view.distributions.get(name);
  cells.addEach(place.span, sumsAt, belowKey);
  addFacts(place, cells, ({ type, createdAtMs }, amounts) => {
    const chosen = amounts.filter(([key]) => key < belowKey);
    addAmounts(sumsOf(sumsAt(createdAtMs), type), chosen);
  });
  return sums;
}

/** Calls `add` for the documents of a span that are in cells which are only partly in it. */
function addFacts(
  { view, span }: Place,
  { amountsOf }: RunningSums,
  add: (fact: CountedFact, amounts: Amounts) => void,
): void {
  for (const { facts } of view.partialCells(span)) {
    for (const fact of facts?.byId.values() ?? []) {
      if (isIn(span, fact.createdAtMs)) add(fact, amountsOf(fact.state));
    }
  }
}
