import type { SignalFact } from '../domain/fact.ts';

/**
 * What is added to the stored `rev` of a fact that has its signal's all-time high, and of a fact that has the position, too.
 * So such a fact replaces one of the same revision that an earlier version recorded without them. When the earlier version
 * records a later revision, `rev` says that the stored high and position are not of that revision.
 */
const athStep = 1 / 16;
const positionStep = 2 / 16;

/** The `rev` that a fact is stored with. */
export function storedRevision({
  rev,
  ath,
  realizable,
}: Pick<SignalFact, 'rev' | 'ath' | 'realizable'>): number {
  if (!ath) return rev;
  return rev + (realizable ? positionStep : athStep);
}

/** The signal's `rev`, from the stored one. */
export function signalRevision(stored: number): number {
  return Math.floor(stored);
}

/** Whether the fact has its signal's all-time high. */
export function knowsAth(stored: number): boolean {
  return !Number.isInteger(stored);
}

/** Whether the fact has its signal's position. */
export function knowsPosition(stored: number): boolean {
  return stored - signalRevision(stored) >= positionStep;
}
