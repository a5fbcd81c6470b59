import type { SignalFact } from '../domain/fact.ts';

/**
 * A stored fact's `rev` is its signal's, and more by this if the fact has the signal's all-time high. So it replaces one of
 * the same change that has not, which the version before recorded; and when that version records a later change over it,
 * the whole number says that the high which is still there is not of this change.
 */
const athStep = 1 / 16;

/** The `rev` that a fact is stored with. */
export function storedRevision({ rev, ath }: Pick<SignalFact, 'rev' | 'ath'>): number {
  return ath ? rev + athStep : rev;
}

/** The signal's `rev`. */
export function signalRevision(stored: number): number {
  return Math.floor(stored);
}

/** Whether the fact has its signal's all-time high. */
export function knowsAth(stored: number): boolean {
  return !Number.isInteger(stored);
}
