import { SigcastError } from '@sigcast/contracts';
import type { Limits } from './plan.ts';

export const dayMs = 86_400_000;

/** A window's count and its end (Unix milliseconds, on the counters' clock). */
export type Count = { readonly used: number; readonly endsMs: number };

/** A count and its limit. */
export type Window = Count & { readonly limit: number };

/** What an account or a client address has used, including this request if it was admitted. */
export type Usage = {
  /** When the counts were read, on the counters' clock. */
  readonly nowMs: number;
  readonly windowMs: number;
  readonly minute: Window;
  /** Absent for addresses, which have no daily limit. */
  readonly day?: Window;
  /** The minute of the key alone; absent where the key has no limit of its own. */
  readonly key?: Window;
};

/** One window, as the answer's headers show it. */
export type WindowReport = {
  readonly name: 'minute' | 'day' | 'key';
  readonly limit: number;
  readonly windowS: number;
  readonly remaining: number;
  readonly endsMs: number;
};

/** All windows, and the one that `X-RateLimit-*` shows. */
export type UsageReport = {
  readonly nowMs: number;
  readonly windows: readonly WindowReport[];
  readonly headline: WindowReport;
};

/**
 * A window's count now; zero when the window has ended. `latestEndMs` is when a window that begins now would end. A stored
 * window with a later end began before the clock stepped back, and counts as ended.
 */
export function countNow(stored: Count | undefined, nowMs: number, latestEndMs: number): Count {
  if (stored === undefined || stored.endsMs <= nowMs || stored.endsMs > latestEndMs) {
    return { used: 0, endsMs: latestEndMs };
  }
  return stored;
}

/** The end of the day (UTC), Unix milliseconds. */
export function midnightAfter(nowMs: number): number {
  return (Math.floor(nowMs / dayMs) + 1) * dayMs;
}

/** What to tell a client about its windows. */
export function reportUsage({ nowMs, windowMs, minute, day, key }: Usage): UsageReport {
  const first = reportWindow('minute', windowMs, minute);
  if (day === undefined) return { nowMs, windows: [first], headline: first };
  const windows = [first, reportWindow('day', dayMs, day)];
  if (key !== undefined) windows.push(reportWindow('key', windowMs, key));
  return { nowMs, windows, headline: windows.reduce(headline) };
}

/** Whole seconds, at least 1, after which the headline window has ended. */
export function retryAfterS({ headline, nowMs }: UsageReport): number {
  return Math.max(1, Math.ceil((headline.endsMs - nowMs) / 1000));
}

/** The refusal of a request for which there is no room. `what` says what is over which limit. */
export function tooMany(report: UsageReport, what: string): SigcastError {
  const seconds = retryAfterS(report);
  return new SigcastError('RATE_LIMIT_EXCEEDED', `${what}; try again in ${waitText(seconds)}`, {
    retryAfterS: seconds,
  });
}

/** A time to wait, for people: seconds up to two minutes, then hours and minutes, rounded up. */
function waitText(seconds: number): string {
  if (seconds <= 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  const parts = [
    [Math.floor(minutes / 60), 'h'],
    [minutes % 60, 'min'],
  ] as const;
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ');
}

/** Whether one more request fits into every window. */
export function admits({ minute, day, key }: Usage): boolean {
  return [minute, day, key].every((window) => window === undefined || window.used < window.limit);
}

/** The same usage with one request more, which counts as `cost` requests, or as many as a window has left. */
export function charge(usage: Usage, cost: number): Usage {
  const { minute, day, key } = usage;
  return {
    ...usage,
    minute: plus(minute, cost),
    ...(day && { day: plus(day, cost) }),
    ...(key && { key: plus(key, cost) }),
  };
}

/** Windows of an account with these limits, and of the key that is used, where it has a limit of its own. */
export function accountUsage(
  at: { nowMs: number; windowMs: number },
  { perMinute, perDay }: Limits,
  [minute, day]: readonly [Count, Count],
  key?: Window,
): Usage {
  return {
    ...at,
    minute: { ...minute, limit: perMinute },
    day: { ...day, limit: perDay },
    ...(key && { key }),
  };
}

function plus(window: Window, cost: number): Window {
  return { ...window, used: Math.min(window.used + cost, window.limit) };
}

/** The window with the least remaining, the day on a tie. With both used up, the window that ends last. */
function headline(one: WindowReport, other: WindowReport): WindowReport {
  if (one.remaining !== other.remaining) return one.remaining < other.remaining ? one : other;
  if (one.remaining === 0 && one.endsMs !== other.endsMs) return one.endsMs > other.endsMs ? one : other;
  return other.name === 'day' ? other : one;
}

function reportWindow(
  name: WindowReport['name'],
  windowMs: number,
  { used, limit, endsMs }: Window,
): WindowReport {
  return { name, limit, windowS: windowMs / 1000, remaining: Math.max(0, limit - used), endsMs };
}
