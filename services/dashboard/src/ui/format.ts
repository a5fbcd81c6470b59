import { timeZone } from './time-zone.ts';

/** The reader's kind of English, if the browser has one: the page is only in English. */
const locale = navigator.languages.find((language) => /^en\b/i.test(language)) ?? 'en';

const dollars = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: 'USD',
  currencyDisplay: 'narrowSymbol',
  notation: 'compact',
  maximumSignificantDigits: 3,
});
const threeDigitsOfDollars = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: 'USD',
  currencyDisplay: 'narrowSymbol',
  notation: 'compact',
  minimumSignificantDigits: 3,
  maximumSignificantDigits: 3,
});
const exactDollars = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: 'USD',
  currencyDisplay: 'narrowSymbol',
});
const signedDollars = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: 'USD',
  currencyDisplay: 'narrowSymbol',
  signDisplay: 'exceptZero',
});
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const tenthsSigned = new Intl.NumberFormat(locale, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});
const atMostTenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const exactSigned = new Intl.NumberFormat(locale, { maximumFractionDigits: 2, signDisplay: 'exceptZero' });
const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
const toTheMinute = {
  timeZone,
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const;
const toMinute = new Intl.DateTimeFormat(locale, toTheMinute);
const exact = new Intl.DateTimeFormat(locale, { ...toTheMinute, second: '2-digit', timeZoneName: 'short' });
const clock = new Intl.DateTimeFormat(locale, {
  timeZone,
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 1,
  hourCycle: 'h23',
});
const dayOnly = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const dayInYear = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium' });
const dayAndMonth = new Intl.DateTimeFormat(locale, { timeZone, month: 'short', day: 'numeric' });
const hourAndMinute = new Intl.DateTimeFormat(locale, {
  timeZone,
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' });

/** US dollars with three digits at most, such as $1.29M. */
export const usd = (amount: number): string => dollars.format(amount);
/** US dollars with three digits, and their unit apart, such as $1.30 and M. */
export function usdParts(amount: number): readonly [figure: string, unit: string] {
  const parts = threeDigitsOfDollars.formatToParts(amount);
  const of = (isUnit: boolean) =>
    parts.flatMap(({ type, value }) => ((type === 'compact') === isUnit ? value.trim() : [])).join('');
  return [of(false), of(true)];
}
/** US dollars to the cent. */
export const exactUsd = (amount: number): string => exactDollars.format(amount);
/** A profit in US dollars to the cent, with its sign, such as −$8.51. */
export const profit = (amount: number): string => signedDollars.format(amount).replace('-', '−');
export const count = (number: number): string => whole.format(number);
/** How many there are of something, such as 1 signal or 1,204 signals. `many`: the plural, where an s does not make it. */
export const plural = (number: number, one: string, many = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : many}`;
/** A change in percent, with its sign, such as −8.5%. Beyond +900% the multiple of the start is clearer: 11.2×. */
export function change(percent: number): string {
  if (percent <= 900) return `${tenthsSigned.format(percent).replace('-', '−')}%`;
  const multiple = 1 + percent / 100;
  return `${(multiple < 100 ? tenths : whole).format(multiple)}×`;
}
/** A change in percent to two decimals, with its sign, such as −8.51%. */
export const exactChange = (percent: number): string => `${exactSigned.format(percent).replace('-', '−')}%`;
/** A difference, with its sign. */
export const signed = (number: number): string => exactSigned.format(number).replace('-', '−');
/** A difference of two percentages, with its sign, such as −8.5 pp. */
export const points = (number: number): string => `${tenthsSigned.format(number).replace('-', '−')} pp`;
/** A share in percent that was measured, such as 4.0%. */
export const share = (percent: number): string => `${tenths.format(percent)}%`;
/** A share in percent that somebody chose, such as 4%. */
export const limit = (percent: number): string => `${atMostTenths.format(percent)}%`;
/** A number with two decimals at most. */
export const decimal = (number: number): string => plain.format(number);
/** An instant to the second in the chosen zone, such as Nov 21, 2026, 04:31:44 UTC. */
export const exactTime = (iso: string): string => exact.format(new Date(iso));
/** An instant of a log in the chosen zone, such as 19:37:42.1; before today with its day. */
export function logTime(iso: string): string {
  const at = new Date(iso);
  const isToday = dayAndMonth.format(at) === dayAndMonth.format(new Date());
  return isToday ? clock.format(at) : `${dayAndMonth.format(at)}, ${clock.format(at)}`;
}
/** The day of an instant in the chosen zone, such as Nov 21, 2026. */
export const shortDay = (iso: string): string => dayInYear.format(new Date(iso));
/** An instant to the minute in the chosen zone, such as Nov 21, 2026, 04:31. */
export const minuteTime = (iso: string): string => toMinute.format(new Date(iso));
/** An instant in the chosen zone, for an axis that spans `spanMs`: 16:31 below 36 hours, otherwise Nov 21. */
export const shortTime = (atMs: number, spanMs: number): string =>
  (spanMs < 36 * 3_600_000 ? hourAndMinute : dayAndMonth).format(atMs);
/** A day of UTC, such as Nov 21. */
export const shortDate = (iso: string): string => dayOnly.format(new Date(iso));
/** The days from one instant to another in the chosen zone, such as Oct 24 – Nov 23, 2026. */
export const dayRange = (from: string, to: string): string =>
  dayInYear.formatRange(new Date(from), new Date(to));

const units = [
  ['year', 31_536_000_000, 'y'],
  ['month', 2_592_000_000, 'mo'],
  ['day', 86_400_000, 'd'],
  ['hour', 3_600_000, 'h'],
  ['minute', 60_000, 'm'],
  ['second', 1_000, 's'],
] as const;

/** A difference from now in milliseconds, such as "3m ago" or "in 2d". */
export function relativeTime(differenceMs: number): string {
  for (const [unit, lengthMs] of units) {
    if (Math.abs(differenceMs) >= lengthMs) return relative.format(Math.trunc(differenceMs / lengthMs), unit);
  }
  return 'now';
}

/** A duration in hours, such as < 1 min, 45 min, 3.2 h or 12 days. */
export function hours(amount: number): string {
  if (amount > 0 && amount < 1 / 60) return '< 1 min';
  if (amount < 1) return `${Math.round(amount * 60)} min`;
  return amount < 72
    ? `${plain.format(Math.round(amount * 10) / 10)} h`
    : `${whole.format(Math.round(amount / 24))} days`;
}

/** How old something is, of milliseconds, such as 3 s, 4 min or 3.2 h. */
export function age(ms: number): string {
  return ms < 60_000 ? `${Math.floor(Math.max(0, ms) / 1_000)} s` : hours(ms / 3_600_000);
}

/** How old something is in whole units, of milliseconds, such as 3s, 4m or 19d. */
export function shortAge(ms: number): string {
  const [, lengthMs, unit] = units.find(([, least]) => ms >= least) ?? ['second', 1_000, 's'];
  return `${Math.floor(Math.max(0, ms) / lengthMs)}${unit}`;
}

/** A duration in milliseconds, such as 0.4 ms, 83 ms or 4.98 s. */
export function milliseconds(amount: number): string {
  if (amount < 10) return `${plain.format(Math.round(amount * 10) / 10)} ms`;
  return amount < 1_000 ? `${Math.round(amount)} ms` : `${plain.format(Math.round(amount / 10) / 100)} s`;
}

/** A number's text without the commas between its thousands, such as 1500 of 1,500. Other commas stay. */
export const withoutThousands = (text: string): string => text.replace(/,(?=\d{3}(?!\d))/g, '');

/** A word or a text that begins with a capital letter. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A message of the API, such as "must be a number", as a sentence. */
export const sentence = (text: string): string => capitalized(/[.!?]$/.test(text) ? text : `${text}.`);
