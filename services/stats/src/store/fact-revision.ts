import type { SignalFact } from '../domain/fact.ts';

/**
 * Added to the stored `rev` of a fact that has its signal's all-time high. So the fact replaces one of the same revision
 * without the high, which the version before recorded. When that version records a later revision, `rev` is a whole
 * number, which says that the stored high is of an earlier one.
 */
const athStep = 1 / 16;

/** The `rev` that a fact is stored with. */
export function storedRevision({ rev, ath }: Pick<SignalFact, 'rev' | 'ath'>): number {
  return ath ? rev + athStep : rev;
}

/** The signal's `rev`, from the stored one. */
export function signalRevision(stored: number): number {
  return Math.floor(stored);
}

/** Whether the fact has its signal's all-time high. */
export function knowsAth(stored: number): boolean {
  return !Number.isInteger(stored);
}
