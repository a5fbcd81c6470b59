const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;

/** The shortest time that is said in each unit: a little less than one unit, because a key of "1 day" is soon a bit shorter. */
const units = [
  ['year', yearMs, yearMs - 15 * dayMs],
  ['day', dayMs, dayMs - hourMs / 2],
  ['hour', hourMs, hourMs - minuteMs / 2],
  ['minute', minuteMs, minuteMs / 2],
] as const;

/** The time until something ends, rounded: a key with a lifetime of one day reads "in 1 day", also a minute later. */
export function endsIn(leftMs: number): string {
  for (const [unit, lengthMs, fromMs] of units) {
    if (leftMs >= fromMs) return relative.format(Math.round(leftMs / lengthMs), unit);
  }
  return 'in less than a minute';
}
