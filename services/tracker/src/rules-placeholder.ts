// REPLACE AT MERGE by ./domain/rules/v1.ts, which has the same exports. These rules never decide.
import type { ApplyRules } from './domain/observing.ts';

export type Thresholds = Readonly<Record<string, unknown>>;

export const defaultThresholds: Thresholds = {};

/** @throws {Error} that names what is wrong. */
export function readThresholds(json: unknown): Thresholds {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new Error('must be an object');
  return { ...json };
}

export function applyRules(
  _thresholds: Thresholds,
  ...[, state]: Parameters<ApplyRules>
): ReturnType<ApplyRules> {
  return { state };
}
