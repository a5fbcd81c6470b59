import type { Limits } from './account.ts';
import { cellEndMs, type SlidingCount, slidingFreeAtMs, slidingRemaining } from './sliding-window.ts';

export const dayMs = 86_400_000;

/** What an account, or a client's address, has used: after this request if it was admitted, else without it. */
export type Usage = {
  /** The instant it is true for, on the clock of whoever counts. */
  readonly nowMs: number;
  readonly windowMs: number;
  readonly minute: { readonly count: SlidingCount; readonly limit: number };
  /** Absent for addresses, which have no daily limit. */
  readonly day?: { readonly used: number; readonly limit: number };
};

/** One window, as a client sees it. */
export type WindowReport = {
  readonly name: 'minute' | 'day';
  readonly limit: number;
  readonly windowS: number;
  readonly remaining: number;
  /** Unix seconds, rounded up: with nothing remaining, when the next request is admitted; else when the window ends. */
  readonly resetS: number;
};

/** All windows, and the one that `X-RateLimit-*` is about. */
export type UsageReport = {
  readonly nowMs: number;
  readonly windows: readonly WindowReport[];
  readonly headline: WindowReport;
};

/**
 * A client's timer or clock may be some milliseconds early; the promised second is late enough to forgive that.
 * Requests at the exact instant would else be refused, and with round limits that instant is a whole second.
 */
const earlyClockMs = 25;

/** What to tell a client about its windows. */
export function reportUsage(usage: Usage): UsageReport {
  const minute = reportMinute(usage);
  if (usage.day === undefined) return { nowMs: usage.nowMs, windows: [minute], headline: minute };
  const day = reportDay(usage.nowMs, usage.day);
  return { nowMs: usage.nowMs, windows: [minute, day], headline: headline(minute, day) };
}

/** Whole seconds, at least 1, after which the headline window admits again: never before its reset. */
export function retryAfterS(report: UsageReport): number {
  return Math.max(1, Math.ceil(report.headline.resetS - report.nowMs / 1000));
}

/** Whether one more request fits into every window. */
export function admits(usage: Usage): boolean {
  const { nowMs, windowMs, minute, day } = usage;
  return (
    slidingRemaining(minute.count, { nowMs, windowMs, limit: minute.limit }) > 0 &&
    (day === undefined || day.used < day.limit)
  );
}

/** The same usage with one request more. */
export function charge(usage: Usage): Usage {
  const count = { ...usage.minute.count, current: usage.minute.count.current + 1 };
  return {
    ...usage,
    minute: { ...usage.minute, count },
    ...(usage.day === undefined ? {} : { day: { ...usage.day, used: usage.day.used + 1 } }),
  };
}

/** Windows of an account with these limits. */
export function accountUsage(
  at: { nowMs: number; windowMs: number; limits: Limits },
  count: SlidingCount,
  usedToday: number,
): Usage {
  return {
    nowMs: at.nowMs,
    windowMs: at.windowMs,
    minute: { count, limit: at.limits.perMinute },
    day: { used: usedToday, limit: at.limits.perDay },
  };
}

/** The least remaining, the day's on a tie; with nothing left in either, the one that frees last. */
function headline(minute: WindowReport, day: WindowReport): WindowReport {
  if (minute.remaining === 0 && day.remaining === 0) return minute.resetS > day.resetS ? minute : day;
  return minute.remaining < day.remaining ? minute : day;
}

function reportMinute({ nowMs, windowMs, minute: { count, limit } }: Usage): WindowReport {
  const at = { nowMs, windowMs, limit };
  const remaining = slidingRemaining(count, at);
  const resetMs = remaining > 0 ? cellEndMs(count, windowMs) : slidingFreeAtMs(count, at) + earlyClockMs;
  return { name: 'minute', limit, windowS: windowMs / 1000, remaining, resetS: Math.ceil(resetMs / 1000) };
}

function reportDay(nowMs: number, { used, limit }: { used: number; limit: number }): WindowReport {
  const resetS = ((Math.floor(nowMs / dayMs) + 1) * dayMs) / 1000;
  return { name: 'day', limit, windowS: dayMs / 1000, remaining: Math.max(0, limit - used), resetS };
}
