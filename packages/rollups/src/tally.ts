import type { SignalStatus, SignalType } from '@sigcast/contracts';

/**
 * A figure over facts: a sum (of `1`: their number) or the maximum of a field, or of an expression over fields. Whole
 * numbers, of which the sums are exact as long as they stay below 2^53.
 */
export type Measure = { readonly sum: 1 | `$${string}` | object } | { readonly max: `$${string}` };

/** Figures of the facts of one type and status. */
export type TallyEntry = {
  readonly type: SignalType;
  readonly status: SignalStatus;
  /** One for each measure, in their order. The first is the number of facts. */
  readonly values: readonly number[];
  /** When the newest of the facts was created. */
  readonly newestMs: number;
};

/** Figures of facts, each type and status at most once; without facts there is no entry. */
export type Tally = readonly TallyEntry[];

/** Figures of all facts together that `tallies` are of; no fact may be in two of them. */
export function addTallies(measures: readonly Measure[], tallies: readonly Tally[]): Tally {
  const sums = new Map<string, TallyEntry>();
  for (const entry of tallies.flat()) {
    const key = `${entry.type}/${entry.status}`;
    const sum = sums.get(key);
    sums.set(key, sum ? combine(measures, sum, entry) : entry);
  }
  return [...sums.values()];
}

/** A cell with more facts than this has a bucket of its own, so that counting what changed never takes longer. */
const crowdedFacts = 200;

/** Whether a cell with these figures has a bucket of its own. */
export function isCrowded(tally: Tally): boolean {
  return tally.reduce((count, { values: [facts = 0] }) => count + facts, 0) > crowdedFacts;
}

/** When the newest fact was created; before all time when there is none. */
export function newestMsOf(tally: Tally): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...tally.map(({ newestMs }) => newestMs));
}

function combine(measures: readonly Measure[], a: TallyEntry, b: TallyEntry): TallyEntry {
  const values = measures.map((measure, index) => {
    const [left = 0, right = 0] = [a.values[index], b.values[index]];
    return 'max' in measure ? Math.max(left, right) : left + right;
  });
  return { ...a, values, newestMs: Math.max(a.newestMs, b.newestMs) };
}
