import {
  type Distribution,
  type Percentiles,
  type Period,
  type SignalType,
  type Statistics,
  signalStatuses,
  signalTypes,
  type TypeDistribution,
} from '@sigcast/contracts';
import { expect } from 'vitest';
import type { Revision } from './events.ts';

const dayMs = 86_400_000;
const lengthMs: Record<Period, number> = {
  '24h': dayMs,
  '7d': 7 * dayMs,
  '30d': 30 * dayMs,
  all: Number.POSITIVE_INFINITY,
};

/** Which figures: of a type (absent: of all types), and of the period before an instant. */
export type Query = {
  readonly type?: SignalType | undefined;
  readonly period: Period;
  readonly nowMs: number;
};

/** The figures counted from a history: the newest revision of each signal, one by one. */
export function recount(history: readonly Revision[], query: Query): Statistics {
  const chosen = choose(history, query);
  const figures = (signals: readonly Revision[]) => {
    const winners = signals.filter(({ status }) => status === 'winner').length;
    return {
      total: signals.length,
      winners,
      win_rate: hundredths(BigInt(winners) * 10_000n, signals.length),
    };
  };
  const { total, winners, win_rate } = figures(chosen);
  const rois = chosen.map(({ roi }) => roi);
  const types = query.type === undefined ? signalTypes : [query.type];
  return {
    total_signals: total,
    winners,
    win_rate,
    avg_roi: hundredths(
      rois.reduce((a, b) => a + BigInt(b), 0n),
      total,
    ),
    best_roi: total === 0 ? 0 : Math.max(...rois) / 100,
    by_type: Object.fromEntries(types.map((type) => [type, figures(chosen.filter((s) => s.type === type))])),
    as_of: new Date(query.nowMs).toISOString(),
  };
}

/** dividend / divisor as hundredths, halves away from zero, by whole numbers of any size. */
export function hundredths(dividend: bigint, divisor: number): number {
  if (divisor === 0) return 0;
  const sign = dividend < 0n ? -1n : 1n;
  return Number((sign * (2n * sign * dividend + BigInt(divisor))) / (2n * BigInt(divisor))) / 100;
}

/**
 * Expects a distribution to equal that of a history: counts and means exactly, percentiles within 0.5 % of the exact ones.
 */
export function expectDistribution(
  shown: Distribution | undefined,
  history: readonly Revision[],
  query: Query,
): void {
  const chosen = choose(history, query);
  const types = query.type === undefined ? signalTypes : [query.type];
  const { by_type, ...all } = shown ?? { by_type: {} };
  expectDistributed(all, chosen);
  expect(Object.keys(by_type)).toEqual(types);
  for (const type of types) {
    expectDistributed(
      by_type[type] ?? {},
      chosen.filter((revision) => revision.type === type),
    );
  }
}

function expectDistributed(
  { roi, ath_roi, ...exact }: Partial<TypeDistribution>,
  chosen: readonly Revision[],
) {
  const known = chosen.filter(({ athRoi }) => athRoi !== undefined);
  const hours = known.reduce((sum, { timeToAth = 0 }) => sum + BigInt(timeToAth), 0n);
  expect(exact).toEqual({
    by_status: Object.fromEntries(
      signalStatuses.map((status) => [status, chosen.filter((each) => each.status === status).length]),
    ),
    avg_time_to_ath_hours: hundredths(hours, known.length),
    ath_signals: known.length,
  });
  expectPercentiles(
    roi,
    chosen.map((each) => each.roi),
  );
  expectPercentiles(
    ath_roi,
    known.map(({ athRoi = 0 }) => athRoi),
  );
}

/** Nearest rank, of hundredths of a percent. */
export function expectPercentiles(shown: Percentiles | undefined, values: readonly number[]) {
  const ascending = values.toSorted((a, b) => a - b);
  const exact = (percent: number) => (ascending[Math.ceil((percent * values.length) / 100) - 1] ?? 0) / 100;
  const wanted = { p10: exact(10), p25: exact(25), median: exact(50), p75: exact(75), p90: exact(90) };
  const far = Object.entries(wanted).filter(([name, value]) => {
    const off = Math.abs((shown?.[name as keyof Percentiles] ?? Number.NaN) - value);
    return !(off <= (Math.abs(value) < 2 ? 0 : 0.005 * Math.abs(value)));
  });
  expect({ far, shown }).toEqual({ far: [], shown });
}

/** The newest revision of each signal of a type and a period. */
export function choose(history: readonly Revision[], query: Query): Revision[] {
  const newest = new Map<number, Revision>();
  for (const revision of history) {
    if (revision.rev > (newest.get(revision.signal)?.rev ?? 0)) newest.set(revision.signal, revision);
  }
  return [...newest.values()].filter(
    ({ type, createdAtMs }) =>
      (query.type === undefined || type === query.type) && createdAtMs > query.nowMs - lengthMs[query.period],
  );
}
