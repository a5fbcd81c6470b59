import type { SignalStatus, SignalType } from '@sigcast/contracts';

/** The fields of a document that figures are made of: its status, and the source's fields in their order. */
export type State = { readonly status: SignalStatus; readonly numbers: readonly number[] };

/** A counted state, with the revision of the document. */
export type Counted = { readonly rev: number; readonly state: State };

/** A figure over documents: a sum or a maximum of whole numbers. Sums are exact while they stay below 2^53. */
export type Measure = { readonly sum: (state: State) => number } | { readonly max: (state: State) => number };

/** By type: the number of documents, and the value of each measure. A type without documents is absent. */
export type Figures = Map<SignalType, number[]>;

/** The values of one document: the number 1, and each measure of its state. */
export function valuesOf(measures: readonly Measure[], state: State): number[] {
  return [1, ...measures.map((measure) => ('max' in measure ? measure.max(state) : measure.sum(state)))];
}

/** Adds the values of some documents of one type. */
export function add(
  measures: readonly Measure[],
  figures: Figures,
  type: SignalType,
  values: readonly number[],
): void {
  const known = figures.get(type);
  if (!known) {
    figures.set(type, [...values]);
    return;
  }
  for (const [index, value] of values.entries()) {
    const before = known[index] ?? 0;
    known[index] = isMax(measures, index) ? Math.max(before, value) : before + value;
  }
}

/** Subtracts the values of one document. A maximum stays, see {@link losesMax}. */
export function subtract(
  measures: readonly Measure[],
  figures: Figures,
  type: SignalType,
  values: readonly number[],
): void {
  const known = figures.get(type) ?? [0];
  if ((known[0] ?? 0) <= 1) {
    figures.delete(type);
    return;
  }
  for (const [index, value] of values.entries()) {
    if (!isMax(measures, index)) known[index] = (known[index] ?? 0) - value;
  }
}

/** Whether the maximum becomes unknown when `before` is replaced by `after`. */
export function losesMax(
  measures: readonly Measure[],
  known: readonly number[] | undefined,
  before: readonly number[],
  after: readonly number[],
): boolean {
  return measures.some(
    (measure, index) =>
      'max' in measure &&
      before[index + 1] === known?.[index + 1] &&
      (after[index + 1] ?? 0) < (before[index + 1] ?? 0),
  );
}

/** Adds figures to others. */
export function merge(measures: readonly Measure[], into: Figures, from: Figures): void {
  for (const [type, values] of from) add(measures, into, type, values);
}

function isMax(measures: readonly Measure[], index: number): boolean {
  const measure = measures[index - 1];
  return measure !== undefined && 'max' in measure;
}
