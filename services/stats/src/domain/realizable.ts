import type {
  RealizablePoint,
  RealizableStatistics,
  SignalType,
  TypeRealizableStatistics,
} from '@sigcast/contracts';
import { type Histogram, meanOf, percentilesOf, percentOf } from '@sigcast/statistics';
import { type Exit, exitRule, exits } from './fact.ts';

/** Sums over the positions of one type's signals. */
export type PositionTotals = {
  readonly byExit: Readonly<Record<Exit, number>>;
  /** Sum of hundredths of a percent; it may exceed what a number holds exactly. */
  readonly roiSum: bigint;
  /** Empty in a series. */
  readonly roi: Histogram;
};

/** By type. A type without positions may be absent. */
export type PositionsByType = ReadonlyMap<SignalType, PositionTotals>;

/** The published figures of the positions of all of `types` together, and of each. */
export function toRealizable(positions: PositionsByType, types: readonly SignalType[]): RealizableStatistics {
  const of = (...wanted: readonly SignalType[]) => together(partsOf(positions, wanted));
  return {
    rule: exitRule,
    ...of(...types),
    by_type: Object.fromEntries(types.map((type) => [type, of(type)])),
  };
}

/** The published figures of one point of a series, from the positions of the times that it covers. */
export function toRealizablePoint(
  positions: readonly PositionsByType[],
  types: readonly SignalType[],
): RealizablePoint {
  const parts = positions.flatMap((each) => partsOf(each, types));
  const signals = countPositions(parts);
  return { signals, avg_roi: averageRoi(parts, signals) };
}

/** The number of positions whose ROI is above 0. It is exact, because 0 and the values next to 0 have buckets of their own. */
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
    profitable: percentOf(countProfitable(parts), signals),
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

function averageRoi(parts: readonly PositionTotals[], signals: number): number {
  return meanOf(
    parts.reduce((total, { roiSum }) => total + roiSum, 0n),
    signals,
  );
}
