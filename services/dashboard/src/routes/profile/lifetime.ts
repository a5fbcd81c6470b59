import { localTime } from '../../ui/local-time.ts';

/** When a key expires: after days, never, or at the end of a day (`2026-11-21`, in the zone of the reader). */
export type Lifetime = { readonly choice: string; readonly date: string };

/** The choice at the beginning. */
export const usualLifetime: Lifetime = { choice: '365', date: '' };

/** The choice of a date. */
export const onDate = 'date';

/** A lifetime as the API takes it. */
export function expiryOf({ choice, date }: Lifetime) {
  if (choice === onDate) return { expires_at: new Date(`${date}T23:59:59`).toISOString() };
  return { expires_in_days: choice === 'never' ? null : Number(choice) };
}

/** The first and the last day that can be chosen: today, and two years ahead. */
export function daysToChoose(nowMs: number): { readonly min: string; readonly max: string } {
  const last = new Date(nowMs);
  last.setFullYear(last.getFullYear() + 2);
  last.setDate(last.getDate() - 1);
  return { min: localTime(nowMs).slice(0, 10), max: localTime(last.getTime()).slice(0, 10) };
}
