import type { Period, SignalType, Statistics, TypeStatistics } from '@sigcast/contracts';
import { meanOf, percentOf } from './rounded.ts';

/** Sums over the signals of one type. Integers, so that they can be added up exactly. */
export type Totals = {
  readonly total: number;
  readonly winners: number;
  /** Sum of hundredths of a percent. A bigint, because it may exceed what a number holds exactly. */
  readonly roiSum: bigint;
  /** Hundredths of a percent. */
  readonly roiMax: number;
};

/** Totals by type. A type without signals is absent. */
export type TotalsByType = ReadonlyMap<SignalType, Totals>;

const hourMs = 3_600_000;

/** Length of each period that has one, in milliseconds. A day is 24 hours. */
const periodMs: Readonly<Record<Exclude<Period, 'all'>, number>> = {
  '24h': 24 * hourMs,
  '7d': 7 * 24 * hourMs,
  '30d': 30 * 24 * hourMs,
};

/** The instant at which a period that ends at `to` begins, itself excluded; undefined for all time. */
export function periodStart(period: Period, to: Date): Date | undefined {
  return period === 'all' ? undefined : new Date(to.getTime() - periodMs[period]);
}

/** The published figures of all of `types` together, and of each. */
export function toStatistics(totals: TotalsByType, types: readonly SignalType[], asOf: Date): Statistics {
  return {
    ...figuresOf([totals], types),
    by_type: Object.fromEntries(types.map((type) => [type, ofType(totals.get(type))])),
    as_of: asOf.toISOString(),
  };
}

/** The published figures of all of `types` in all `totals` together. */
export function figuresOf(
  totals: readonly TotalsByType[],
  types: readonly SignalType[],
): Omit<Statistics, 'by_type' | 'as_of'> {
  const parts = totals.flatMap((each) => types.flatMap((type) => each.get(type) ?? []));
  const total = sum(parts.map((part) => part.total));
  const winners = sum(parts.map((part) => part.winners));
  const roiSum = parts.reduce((sum, part) => sum + part.roiSum, 0n);
  return {
    total_signals: total,
    winners,
    win_rate: percentOf(winners, total),
    avg_roi: meanOf(roiSum, total),
    best_roi: total === 0 ? 0 : Math.max(...parts.map((part) => part.roiMax)) / 100,
  };
}

function ofType(
  { total, winners }: Pick<Totals, 'total' | 'winners'> = { total: 0, winners: 0 },
): TypeStatistics {
  return { total, winners, win_rate: percentOf(winners, total) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
