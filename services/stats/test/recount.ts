import { type Period, type SignalType, type Statistics, signalTypes } from '@sigcast/contracts';
import type { Revision } from './events.ts';

const dayMs = 86_400_000;
const lengthMs: Record<Period, number> = {
  '24h': dayMs,
  '7d': 7 * dayMs,
  '30d': 30 * dayMs,
  all: Number.POSITIVE_INFINITY,
};

/** The figures counted anew from everything that ever happened: newest revision of each signal, one by one. */
export function recount(
  history: readonly Revision[],
  query: { readonly type?: SignalType | undefined; readonly period: Period },
  nowMs: number,
): Statistics {
  const newest = new Map<number, Revision>();
  for (const revision of history) {
    if (revision.rev > (newest.get(revision.signal)?.rev ?? 0)) newest.set(revision.signal, revision);
  }
  const chosen = [...newest.values()].filter(
    ({ type, createdAtMs }) =>
      (query.type === undefined || type === query.type) && createdAtMs > nowMs - lengthMs[query.period],
  );
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
    as_of: new Date(nowMs).toISOString(),
  };
}

/** dividend / divisor as hundredths, halves away from zero, by whole numbers of any size. */
function hundredths(dividend: bigint, divisor: number): number {
  if (divisor === 0) return 0;
  const sign = dividend < 0n ? -1n : 1n;
  return Number((sign * (2n * sign * dividend + BigInt(divisor))) / (2n * BigInt(divisor))) / 100;
}
