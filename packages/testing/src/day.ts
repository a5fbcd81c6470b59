import { setTimeout as delay } from 'node:timers/promises';

const dayMs = 86_400_000;

/** A hook that waits for {@link untilDayLasts} may take so long, in milliseconds. */
export const dayHookMs = 150_000;

/**
 * Resolves when the current day (UTC) lasts at least another `ms` milliseconds: at once, except in a day's last two minutes. For
 * tests whose requests have to be counted in one day.
 */
export async function untilDayLasts(ms = 120_000): Promise<void> {
  const leftMs = () => dayMs - (Date.now() % dayMs);
  // A timer can end before the clock is there.
  while (leftMs() < ms) await delay(leftMs());
}
