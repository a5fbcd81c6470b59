const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;

/** From when on a time is said in a unit: a little less than one reads as one, for it was one when it was chosen. */
const units = [
  ['year', yearMs, yearMs - 15 * dayMs],
  ['day', dayMs, dayMs - hourMs / 2],
  ['hour', hourMs, hourMs - minuteMs / 2],
  ['minute', minuteMs, minuteMs / 2],
] as const;

/** The time until something ends, rounded, such as "in 1 day" a minute after that was chosen. */
export function endsIn(leftMs: number): string {
  for (const [unit, lengthMs, fromMs] of units) {
    if (leftMs >= fromMs) return relative.format(Math.round(leftMs / lengthMs), unit);
  }
  return 'in less than a minute';
}
