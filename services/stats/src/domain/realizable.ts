import {
  divideRounded,
  type RealizablePoint,
  type RealizableStatistics,
  type SignalType,
  type TypeRealizableStatistics,
} from '@sigcast/contracts';
import { type Histogram, percentilesOf } from '@sigcast/statistics';
import { type Exit, exitRule, exits } from './fact.ts';

/** Sums over the positions of signals of one type. */
export type PositionTotals = {
  readonly byExit: Readonly<Record<Exit, number>>;
  /** Sum of hundredths of a percent; it may exceed what a number holds exactly. */
  readonly roiSum: bigint;
  /** Empty in a series. */
  readonly roi: Histogram;
};

/** By type. A type without positions may be absent. */
export type PositionsByType = ReadonlyMap<SignalType, PositionTotals>;

/** The published figures of the positions of `types`, together and each by itself. */
export function toRealizable(positions: PositionsByType, types: readonly SignalType[]): RealizableStatistics {
  const byType = types.map((type) => [type, together(partsOf(positions, [type]))]);
  return {
    rule: exitRule,
    ...together(partsOf(positions, types)),
    by_type: Object.fromEntries(byType) as RealizableStatistics['by_type'],
  };
}

/** The published figures of one point of a series. */
export function toRealizablePoint(positions: PositionsByType, types: readonly SignalType[]): RealizablePoint {
  const parts = partsOf(positions, types);
  const signals = countPositions(parts);
  return { signals, avg_roi: averageRoi(parts, signals) };
}

/** The number of positions whose ROI is above 0. Exact: 0 and the values next to it have buckets of their own. */
export function countProfitable(parts: readonly Pick<PositionTotals, 'roi'>[]): number {
  let profitable = 0;
  for (const { roi } of parts) for (const [bucket, count] of roi) if (bucket > 0) profitable += count;
  return profitable;
}

/** The number of positions. */
function countPositions(parts: readonly PositionTotals[]): number {
  return exits.reduce((sum, exit) => sum + countOf(parts, exit), 0);
}

function together(parts: readonly PositionTotals[]): TypeRealizableStatistics {
  const signals = countPositions(parts);
  const byExit = exits.map((exit) => [exit, countOf(parts, exit)]);
  return {
    signals,
    avg_roi: averageRoi(parts, signals),
    profitable:
      signals === 0 ? 0 : divideRounded(BigInt(countProfitable(parts)) * 10_000n, BigInt(signals)) / 100,
    roi: percentilesOf(parts.map(({ roi }) => roi)),
    by_exit: Object.fromEntries(byExit) as TypeRealizableStatistics['by_exit'],
  };
}

function partsOf(positions: PositionsByType, types: readonly SignalType[]): readonly PositionTotals[] {
  return types.flatMap((type) => positions.get(type) ?? []);
}

function countOf(parts: readonly PositionTotals[], exit: Exit): number {
  return parts.reduce((sum, { byExit }) => sum + byExit[exit], 0);
}

/** Percent, two decimals. */
function averageRoi(parts: readonly PositionTotals[], signals: number): number {
  const sum = parts.reduce((total, { roiSum }) => total + roiSum, 0n);
  return signals === 0 ? 0 : divideRounded(sum, BigInt(signals)) / 100;
}
