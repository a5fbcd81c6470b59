import type { SignalType } from '@sigcast/contracts';

const grouped = new Intl.NumberFormat('en');
const decimal = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A count with groups of three digits. */
export function count(value: number): string {
  return grouped.format(value);
}

/** Percent with one decimal, none from 1,000 on. */
function percent(value: number): string {
  return `${(Math.abs(value) < 1_000 ? decimal : grouped).format(Math.abs(value) < 1_000 ? value : Math.round(value))}%`.replace(
    '-',
    '−',
  );
}

/** The percent of so many signals; a dash where there are none. */
export function percentOf(value: number | undefined, signals: number | undefined): string {
  return value === undefined || !signals ? '–' : percent(value);
}

/** A count and what is counted. `words`: one, and several of it. */
export function plural(value: number, ...[one, several]: readonly [string, string]): string {
  return `${count(value)} ${value === 1 ? one : several}`;
}

/** What `make` returns; `instead` where an older service has answered without what it reads. */
export function orElse<T>(make: () => T, instead: T): T {
  try {
    return make();
  } catch {
    return instead;
  }
}

/** An instant to the minute, in UTC. */
export function minute(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`;
}

const months = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'short', timeZone: 'UTC' });

/** The month of an instant in UTC, such as Nov 2026. */
export const monthOf = (instant: string): string => months.format(Date.parse(instant));

/** A type of signals as a person reads it: New, 3 days. */
export const typeWord = (type: SignalType): string => capital(type.replace(/^(\d+)d$/, '$1 days'));

/** A word of the API as a person reads it. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ');
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A change in percent with its sign, such as +92.0%. Beyond +900% the multiple is clearer: 11.2×. */
export function change(by: number): string {
  if (by > 900) return `${(1 + by / 100).toFixed(by < 9_900 ? 1 : 0)}×`;
  return by > 0 ? `+${percent(by)}` : percent(by);
}

/** The change of so many signals; a dash where there are none. */
export function changeOf(by: number | undefined, signals: number | undefined): string {
  return by === undefined || !signals ? '–' : change(by);
}

/** A time in one unit, such as 45 min, 9.3 h or 12.0 days. */
export function duration(ms: number): string {
  if (ms < 2 * minuteMs) return `${Math.round(ms / 1_000)} s`;
  if (ms < 2 * hourMs) return `${Math.round(ms / minuteMs)} min`;
  return ms < 2 * dayMs ? `${(ms / hourMs).toFixed(1)} h` : `${(ms / dayMs).toFixed(1)} days`;
}

const dollars = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumSignificantDigits: 3,
});

/** US dollars with three digits at most, such as $1.29M. */
export const usd = (amount: number): string => dollars.format(amount);
